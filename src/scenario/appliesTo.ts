/** Which scenarios say something about a file: by globs of paths and names of functions. */

/** Whether `path` is what the glob says: `?` one character, `*` within a folder, `**` across folders. */
export function matchesGlob(glob: string, path: string): boolean {
  // Which positions of the path each prefix of the glob can reach: time is the product of the lengths.
  let reached = new Set([0]);
  for (let at = 0; at < glob.length && reached.size > 0; at++) {
    const character = glob[at]!;
    const next = new Set<number>();
    if (character === '*') {
      const across = glob[at + 1] === '*';
      if (across) at++;
      for (const start of reached)
        for (let end = start; !next.has(end); end++) {
          next.add(end);
          if (end >= path.length || (!across && path[end] === '/')) break;
        }
    } else
      for (const start of reached) {
        const here = path[start];
        if (here !== undefined && (here === character || (character === '?' && here !== '/')))
          next.add(start + 1);
      }
    reached = next;
  }
  return reached.has(path.length);
}

const topFolders = new Set([
  'arch',
  'include',
  'mm',
  'kernel',
  'lib',
  'drivers',
  'fs',
  'virt',
  'xen',
  'init',
]);

/** The path, and what it may be below the root of a tree that lies anywhere. `arch/x86/mm/x.c` is not `mm/x.c`. */
function treePaths(path: string): string[] {
  const parts = path.split('/');
  const arch = parts.lastIndexOf('arch');
  if (arch >= 0) return [path, parts.slice(arch).join('/')];
  return [path, ...parts.flatMap((part, at) => (topFolders.has(part) ? [parts.slice(at).join('/')] : []))];
}

const isFunctionName = (entry: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(entry);

/** What a document is about. */
export interface Subject {
  /** Paths with `/`. */
  readonly paths: readonly string[];
  /** Identifiers of the code at hand. */
  readonly names: ReadonlySet<string>;
}

/** The entries of `appliesTo` that fit. */
export function fitting(appliesTo: readonly string[], subject: Subject): string[] {
  return appliesTo.filter(entry =>
    isFunctionName(entry)
      ? subject.names.has(entry)
      : subject.paths.some(path => treePaths(path).some(one => matchesGlob(entry, one))),
  );
}

/** Identifiers of a text. */
export function identifiersOf(text: string, into: Set<string>): void {
  for (const [name] of text.matchAll(/[A-Za-z_][A-Za-z0-9_]*/g)) into.add(name);
}
