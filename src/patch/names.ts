/** Paths in diff headers: git's quoting, prefixes, time stamps. */

const QUOTE = 34;

/** Undoes git's C-style quoting of a name that begins at `from` with `"`. Null if it does not end. */
export function unquoteName(text: string, from: number): { name: string; end: number } | null {
  const bytes: number[] = [];
  let plain = true;
  let at = from + 1;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) break;
    if (code !== 92 /* \ */) {
      if (code < 128) bytes.push(code);
      else {
        for (const byte of new TextEncoder().encode(String.fromCodePoint(text.codePointAt(at)!)))
          bytes.push(byte);
        if (text.codePointAt(at)! > 0xffff) at++;
        plain = false;
      }
      continue;
    }
    const next = text[++at] ?? '';
    if (next >= '0' && next <= '7') {
      let value = 0;
      let digits = 0;
      for (; digits < 3 && text[at] !== undefined && text[at]! >= '0' && text[at]! <= '7'; digits++, at++)
        value = value * 8 + Number(text[at]);
      at--;
      bytes.push(value & 255);
      plain &&= value < 128;
    } else
      bytes.push(
        ({ n: 10, t: 9, r: 13, a: 7, b: 8, f: 12, v: 11 } as Record<string, number>)[next] ??
          next.charCodeAt(0),
      );
  }
  if (at >= text.length) return null;
  const name = plain ? bytesToAscii(bytes) : new TextDecoder().decode(new Uint8Array(bytes));
  return { name, end: at + 1 };
}

function bytesToAscii(bytes: readonly number[]): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.slice(at, at + 8192));
  return text;
}

/** A name from a `---` or `+++` line, with what its time stamp says. */
export interface HeaderName {
  readonly name: string;
  /** The time stamp is the epoch, in whatever time zone: the file does not exist on this side. */
  readonly epoch: boolean;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const isoStamp =
  /(?:^|[ \t])(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:\.\d{1,12})?(?: ?([+-])(\d\d):?(\d\d))?\s*$/;
const asctimeStamp =
  /(?:^|[ \t])(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ([A-Z][a-z][a-z]) +(\d{1,2}) (\d\d):(\d\d):(\d\d) (\d{4})(?: ([+-])(\d\d)(\d\d))?\s*$/;

/** Seconds since the epoch of the time stamp at the end of `text`, and where it begins. */
function timeStamp(text: string): { seconds: number; at: number } | null {
  if (!text.includes(':')) return null;
  // Only the tail can hold one: a bound keeps a hostile header cheap.
  const from = Math.max(0, text.length - 60);
  const tail = text.slice(from);
  const iso = isoStamp.exec(tail);
  if (iso) {
    const [, year, month, day, hour, minute, second, sign, zoneHour, zoneMinute] = iso;
    const utc =
      Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second)) /
      1000;
    return { seconds: utc - zone(sign, zoneHour, zoneMinute), at: from + iso.index };
  }
  const asctime = asctimeStamp.exec(tail);
  if (asctime) {
    const [, month, day, hour, minute, second, year, sign, zoneHour, zoneMinute] = asctime;
    const utc =
      Date.UTC(
        Number(year),
        months.indexOf(month!),
        Number(day),
        Number(hour),
        Number(minute),
        Number(second),
      ) / 1000;
    return { seconds: utc - zone(sign, zoneHour, zoneMinute), at: from + asctime.index };
  }
  return null;
}

function zone(sign: string | undefined, hour: string | undefined, minute: string | undefined): number {
  if (sign === undefined) return 0;
  return (sign === '-' ? -1 : 1) * (Number(hour) * 3600 + Number(minute) * 60);
}

/** Reads the name from a header line's text behind `--- ` or `+++ `. */
export function headerName(rest: string): HeaderName {
  if (rest.charCodeAt(0) === QUOTE) {
    const quoted = unquoteName(rest, 0);
    if (quoted) return { name: quoted.name, epoch: timeStamp(rest.slice(quoted.end))?.seconds === 0 };
  }
  const stamp = timeStamp(rest);
  const tab = rest.indexOf('\t');
  if (rest.endsWith('\t(nonexistent)')) return { name: rest.slice(0, tab), epoch: true };
  if (tab >= 0) return { name: rest.slice(0, tab), epoch: stamp?.seconds === 0 };
  if (stamp) return { name: rest.slice(0, stamp.at).trimEnd(), epoch: stamp.seconds === 0 };
  return { name: rest.trimEnd(), epoch: false };
}

const prefixes = new Set(['a', 'b', 'i', 'w', 'c', 'o']);

function hasPrefix(name: string): boolean {
  return name.charCodeAt(1) === 47 /* / */ && prefixes.has(name[0]!);
}

/** Removes git's one-letter prefixes when both sides carry one (`/dev/null` counts as carrying). */
export function stripPrefixes(oldName: string, newName: string): { oldName: string; newName: string } {
  const nullOld = oldName === '/dev/null';
  const nullNew = newName === '/dev/null';
  if ((nullOld || hasPrefix(oldName)) && (nullNew || hasPrefix(newName))) {
    return { oldName: nullOld ? oldName : oldName.slice(2), newName: nullNew ? newName : newName.slice(2) };
  }
  return { oldName, newName };
}

/** The two names of a `diff --git` line, given the text behind `diff --git `; null if they cannot be told apart. */
export function gitNames(rest: string): { oldName: string; newName: string } | null {
  if (rest.charCodeAt(0) === QUOTE) {
    const first = unquoteName(rest, 0);
    if (!first || rest[first.end] !== ' ') return null;
    const second =
      rest.charCodeAt(first.end + 1) === QUOTE
        ? unquoteName(rest, first.end + 1)?.name
        : rest.slice(first.end + 1);
    return second ? { oldName: first.name, newName: second } : null;
  }
  const quote = rest.indexOf(' "');
  if (quote > 0) {
    const second = unquoteName(rest, quote + 1);
    return second ? { oldName: rest.slice(0, quote), newName: second.name } : null;
  }
  // Equal names but for the prefix: the middle blank splits the text in half.
  const half = (rest.length - 1) / 2;
  if (Number.isInteger(half) && rest[half] === ' ') {
    const left = rest.slice(0, half);
    const right = rest.slice(half + 1);
    if (left === right || left.slice(2) === right.slice(2)) return { oldName: left, newName: right };
  }
  const at = rest.lastIndexOf(' b/') > 0 ? rest.lastIndexOf(' b/') : rest.indexOf(' ');
  return at > 0 && at < rest.length - 1 ? { oldName: rest.slice(0, at), newName: rest.slice(at + 1) } : null;
}
