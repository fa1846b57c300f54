/** Seeded damage to patches: the same seed gives the same bytes on every machine. */

/** A small generator (xorshift32) with a uniform integer below `n`. */
export function generator(seed: number): (n: number) => number {
  let state = seed | 0 || 1;
  return n => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % n;
  };
}

/** One to three faults in a text of lines: flipped bytes, lines dropped, doubled, swapped, joined, cut, counts changed. */
export function damage(bytes: Uint8Array, random: (n: number) => number): Uint8Array {
  let lines = Buffer.from(bytes).toString('latin1').split('\n');
  for (let fault = random(3); fault >= 0; fault--) {
    const at = random(lines.length);
    const line = lines[at]!;
    switch (random(9)) {
      case 0:
        lines.splice(at, 1);
        break;
      case 1:
        lines.splice(at, 0, line);
        break;
      case 2:
        if (at + 1 < lines.length) [lines[at], lines[at + 1]] = [lines[at + 1]!, line];
        break;
      case 3:
        if (at + 1 < lines.length) lines.splice(at, 2, line + lines[at + 1]!);
        break;
      case 4:
        lines[at] = line.slice(1);
        break;
      case 5: {
        const column = random(line.length + 1);
        lines[at] = line.slice(0, column) + String.fromCharCode(random(256)) + line.slice(column + 1);
        break;
      }
      case 6:
        lines = lines.slice(0, at + 1);
        break;
      case 7: {
        const headers = lines.flatMap((text, index) => (text.startsWith('@@ -') ? [index] : []));
        const header = headers[random(headers.length || 1)];
        if (header !== undefined)
          lines[header] = lines[header]!.replace(/\d+/g, digits =>
            random(3) ? digits : String(Number(digits) + random(3) - 1),
          );
        break;
      }
      default: {
        const column = random(line.length + 1);
        lines.splice(at, 1, line.slice(0, column), line.slice(column));
      }
    }
    if (!lines.length) lines = [''];
  }
  return Buffer.from(lines.join('\n'), 'latin1');
}
