/** Which messages are patches of one series, which version is the newest, and what a revision in a reply replaces. */
import type { PatchDocument, PatchFile, PatchMessage } from '../patch/model';

/** A subject taken apart: `[RFC PATCH v2 1/3] x86/mm/tlb: …`. */
export interface SubjectParts {
  readonly version: number;
  readonly part: number | null;
  readonly parts: number | null;
  /** Marked as a request for comments: older than the patch proper. */
  readonly rfc: boolean;
  /** Marked as sent again. */
  readonly resent: boolean;
  /** Without `Re:` and brackets, in lower case, for comparing. */
  readonly title: string;
}

/** Reads the version and number of a patch from its subject. */
export function readSubject(subject: string): SubjectParts {
  let rest = subject.trim();
  let version = 1;
  let part: number | null = null;
  let parts: number | null = null;
  let [rfc, resent] = [false, false];
  for (let rounds = 0; rounds < 12; rounds++) {
    const prefix = /^(?:re|fwd?|aw)\s*:\s*/i.exec(rest);
    if (prefix) {
      rest = rest.slice(prefix[0].length);
      continue;
    }
    if (!rest.startsWith('[')) break;
    const close = rest.indexOf(']');
    if (close < 0) break;
    const inside = rest.slice(1, close);
    version = Number(/(?:^|[\s,])v(\d{1,3})(?:[\s,.]|$)/i.exec(inside)?.[1] ?? version);
    const numbers = /(?:^|\s)0*(\d{1,4})\/0*(\d{1,4})(?:\s|$)/.exec(inside);
    if (numbers) [part, parts] = [Number(numbers[1]), Number(numbers[2])];
    rfc ||= /\brfc\b/i.test(inside);
    resent ||= /\bresend\b/i.test(inside);
    rest = rest.slice(close + 1).trimStart();
  }
  return { version, part, parts, rfc, resent, title: rest.toLowerCase().replace(/\s+/g, ' ').trim() };
}

/** A message that brings files. */
export interface PatchEntry {
  readonly message: number;
  readonly subject: string;
  readonly parts: SubjectParts;
  readonly files: readonly PatchFile[];
  /** The message that replaces it as a whole, or null. */
  supersededBy: number | null;
  /** Files that a later message replaces, with that message. */
  readonly supersededFiles: Map<PatchFile, number>;
  /** The patch that this one revises in part, or null. */
  revises: number | null;
  /** Patches with the same key apply on each other in order. */
  readonly series: string;
}

const pathOf = (file: PatchFile): string => file.newPath ?? file.oldPath ?? '';

/** The patches of a document in the order in which they apply. */
export function patchesOf(document: PatchDocument): PatchEntry[] {
  const byMessage = new Map<number, PatchFile[]>();
  for (const file of document.files) {
    const known = byMessage.get(file.message);
    if (known) known.push(file);
    else byMessage.set(file.message, [file]);
  }
  const messages = new Map<number, PatchMessage>(document.messages.map(message => [message.index, message]));
  const entries = [...byMessage].map(([message, files]): PatchEntry => {
    const subject = messages.get(message)?.subject ?? '';
    const parts = readSubject(subject);
    const series = `${parts.rfc ? 'rfc' : ''}${parts.resent ? 'again' : ''}${parts.version}/${parts.parts ?? ''}`;
    return {
      message,
      subject,
      parts,
      files,
      supersededBy: null,
      supersededFiles: new Map(),
      revises: null,
      series,
    };
  });
  const isReply = (entry: PatchEntry): boolean => messages.get(entry.message)?.isReply ?? false;
  supersede(entries, isReply);
  // Numbered patches apply by number; a revision in a reply directly behind what it revises.
  const rank = (entry: PatchEntry): number => entry.parts.part ?? 0;
  return entries.sort(
    (a, b) =>
      (a.series === b.series ? rank(a) - rank(b) : 0) ||
      Number(isReply(a)) - Number(isReply(b)) ||
      a.message - b.message,
  );
}

function supersede(entries: readonly PatchEntry[], isReply: (entry: PatchEntry) => boolean): void {
  const byTitle = new Map<string, PatchEntry[]>();
  const byNumber = new Map<string, PatchEntry[]>();
  const byFiles = new Map<string, PatchEntry[]>();
  const put = (map: Map<string, PatchEntry[]>, key: string, entry: PatchEntry): void => {
    const known = map.get(key);
    if (known) known.push(entry);
    else map.set(key, [entry]);
  };
  const numberOf = ({ parts }: PatchEntry): string => `${parts.part}/${parts.parts}`;
  for (const entry of entries) {
    if (entry.parts.title !== '') put(byTitle, entry.parts.title, entry);
    if (entry.parts.part !== null) put(byNumber, numberOf(entry), entry);
    put(byFiles, filesOf(entry), entry);
  }
  for (const later of entries) {
    const alike = (byTitle.get(later.parts.title) ?? []).slice(0, mostVersions);
    const numbered =
      later.parts.part === null ? [] : (byNumber.get(numberOf(later)) ?? []).slice(0, mostVersions);
    const refiled = (byFiles.get(filesOf(later)) ?? [])
      .slice(0, mostVersions)
      .filter(({ parts }) => parts.version < later.parts.version && parts.part === later.parts.part);
    for (const earlier of new Set([...alike, ...numbered, ...refiled])) {
      if (earlier === later || earlier.supersededBy !== null) continue;
      const related = alike.includes(earlier) || (refiled.includes(earlier) && !isReply(later));
      if (!related && !(sharesFile(later, earlier) && similar(later, earlier))) continue;
      if (isReply(later) && !isReply(earlier) && later.parts.version === earlier.parts.version) {
        reviseFiles(later, earlier);
        continue;
      }
      if (isReply(later) !== isReply(earlier)) continue;
      if (isNewer(later, earlier, alike.includes(earlier), isReply(later)))
        earlier.supersededBy = later.message;
    }
  }
}

/** Whether a patch replaces another that is like it. `titled`: they have one title. */
function isNewer(later: PatchEntry, earlier: PatchEntry, titled: boolean, reply: boolean): boolean {
  const [a, b] = [later.parts, earlier.parts];
  if (a.rfc !== b.rfc && titled) return b.rfc;
  if (a.version !== b.version) return a.version > b.version;
  if (!titled || later.message < earlier.message) return false;
  // The same patch once more: sent again, or the same mail twice in an archive.
  return reply || (a.part === b.part && sharesFile(later, earlier));
}

/** Half of the words of the shorter title are in the other. */
function similar(a: PatchEntry, b: PatchEntry): boolean {
  const [words, others] = [wordsOf(a), wordsOf(b)];
  let common = 0;
  for (const word of words) if (others.has(word)) common++;
  return common * 2 >= Math.min(words.size, others.size);
}

/** Something worked out of an entry, once. */
function remembered<T>(make: (entry: PatchEntry) => T): (entry: PatchEntry) => T {
  const known = new WeakMap<PatchEntry, T>();
  return entry => {
    const found = known.get(entry);
    if (found !== undefined) return found;
    const made = make(entry);
    known.set(entry, made);
    return made;
  };
}

const wordsOf = remembered(
  ({ parts }): ReadonlySet<string> => new Set(parts.title.split(/[^\w]+/).filter(Boolean)),
);

const pathsOf = remembered((entry): ReadonlySet<string> => new Set(entry.files.map(pathOf)));

/** Versions of one patch that are looked at. */
const mostVersions = 60;

/** The paths of a patch as one key. */
const filesOf = remembered((entry): string => entry.files.map(pathOf).sort().join('\n'));

function sharesFile(a: PatchEntry, b: PatchEntry): boolean {
  const paths = pathsOf(a);
  for (const path of pathsOf(b)) if (paths.has(path)) return true;
  return false;
}

/** A diff inside a reply replaces the posted diff of the same files. */
function reviseFiles(reply: PatchEntry, posted: PatchEntry): void {
  const paths = new Set(reply.files.map(pathOf));
  const replaced = posted.files.filter(file => paths.has(pathOf(file)));
  if (!replaced.length) return;
  reply.revises = posted.message;
  for (const file of replaced) posted.supersededFiles.set(file, reply.message);
  if (replaced.length === posted.files.length) posted.supersededBy = reply.message;
}
