/** The header of a file in a diff: what its lines say, before the scanner decides what that means. */
import { headerName, unquoteName, type HeaderName } from './names';

/** A file header being read. */
export interface Header {
  readonly line: number;
  readonly style: 'git' | 'combined' | 'plain';
  /** Names of the `diff --git` line. */
  readonly names: { oldName: string; newName: string } | null;
  old: HeaderName | null;
  new: HeaderName | null;
  /** Line of `---` where `+++` stands right below it, or -1. */
  nameLine: number;
  added: boolean;
  deleted: boolean;
  binary: boolean;
  move: 'renamed' | 'copied' | null;
  from: string | null;
  to: string | null;
  oldMode: string | null;
  newMode: string | null;
  /** Mode on the `index` line. */
  indexMode: string | null;
  /** Something behind the first line says that this really is a header, not prose. */
  confirmed: boolean;
}

/** git's extended header lines, and what each says of the file. */
export const extendedLines: readonly [string, (header: Header, rest: string) => void][] = [
  // Without its `---` line just before it.
  ['+++ ', (header, rest) => (header.new ??= headerName(rest))],
  [
    'index ',
    (header, rest) =>
      (header.indexMode = rest.includes(' ') ? rest.slice(rest.indexOf(' ') + 1).trim() : null),
  ],
  ['similarity index ', () => undefined],
  ['dissimilarity index ', () => undefined],
  ['old mode ', (header, rest) => (header.oldMode = rest.trim())],
  ['new mode ', (header, rest) => (header.newMode = rest.trim())],
  ['mode ', () => undefined],
  ['new file mode ', (header, rest) => ((header.added = true), (header.newMode = rest.trim()))],
  ['deleted file mode ', (header, rest) => ((header.deleted = true), (header.oldMode = rest.trim()))],
  ['rename from ', (header, rest) => ((header.move = 'renamed'), (header.from = plainName(rest)))],
  ['rename to ', (header, rest) => ((header.move = 'renamed'), (header.to = plainName(rest)))],
  // What git wrote before 1.3, and still reads.
  ['rename old ', (header, rest) => ((header.move = 'renamed'), (header.from = plainName(rest)))],
  ['rename new ', (header, rest) => ((header.move = 'renamed'), (header.to = plainName(rest)))],
  ['copy from ', (header, rest) => ((header.move = 'copied'), (header.from = plainName(rest)))],
  ['copy to ', (header, rest) => ((header.move = 'copied'), (header.to = plainName(rest)))],
];

export function badMode(mode: string | null): boolean {
  return mode !== null && !/^[0-7]{5,6}$/.test(mode);
}

/** Whether the name of a rename is that of the `diff --git` line, which has a prefix. */
export function agree(name: string, full: string | undefined): boolean {
  return full === undefined || full === name || full.endsWith(`/${name}`);
}

export function sameFile(given: HeaderName | null, name: string): boolean {
  return given === null || given.name === '/dev/null' || given.name === name;
}

/** A line of git's base85: a letter that gives the number of bytes, then five characters for each four of them. */
export function isBase85(text: string, start: number, end: number): boolean {
  const code = text.charCodeAt(start);
  const bytes = code >= 65 && code <= 90 ? code - 64 : code >= 97 && code <= 122 ? code - 70 : 0;
  return bytes > 0 && end - start === 1 + Math.ceil(bytes / 4) * 5;
}

export function plainName(rest: string): string {
  return rest.startsWith('"') ? (unquoteName(rest, 0)?.name ?? rest) : rest;
}
