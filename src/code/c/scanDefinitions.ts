/** A quick look at a C file: which names it may define, and what it includes. Layout decides: kernel style puts definitions at the margin. */

export interface FileDefinitions {
  readonly macros: ReadonlySet<string>;
  /** Names that may be defined as functions here. */
  readonly functions: ReadonlySet<string>;
  /** Names that may be declared here: types, variables, prototypes, enumerators. */
  readonly symbols: ReadonlySet<string>;
  readonly includes: readonly string[];
}

const define = /^\s*#\s*define\s+(\w+)/;
const include = /^\s*#\s*include\s+["<]([^">]+)[">]/;
const word = /[A-Za-z_]\w*/g;
/** Lines longer than this are not looked at. */
const lineLimit = 2_000;

export function scanDefinitions(text: string): FileDefinitions {
  const macros = new Set<string>();
  const functions = new Set<string>();
  const symbols = new Set<string>();
  const includes: string[] = [];
  let inComment = false;
  let inEnum = false;
  let continued = false;
  for (let start = 0; start < text.length;) {
    let end = text.indexOf('\n', start);
    if (end < 0) end = text.length;
    const from = start;
    start = end + 1;
    if (end - from > lineLimit || end === from) continue;
    const first = text[from]!;
    if (inComment) {
      const close = text.indexOf('*/', from);
      if (close >= 0 && close < end) inComment = false;
      continue;
    }
    const line = text.slice(from, end);
    const wasContinued = continued;
    continued = line.endsWith('\\');
    const open = line.lastIndexOf('/*');
    if (open >= 0 && !line.includes('*/', open)) inComment = true;
    if (wasContinued) continue;
    if (first === '#' || ((first === ' ' || first === '\t') && line.trimStart().startsWith('#'))) {
      const defined = define.exec(line);
      if (defined) macros.add(defined[1]!);
      else {
        const included = include.exec(line);
        if (included) includes.push(included[1]!);
      }
      continue;
    }
    if (inEnum) {
      if (line.includes('}')) inEnum = false;
      for (const name of names(line, ',=}')) symbols.add(name);
      const last = /([A-Za-z_]\w*)\s*(?:\/\*.*)?$/.exec(line);
      if (last) symbols.add(last[1]!);
      continue;
    }
    if (first === ' ' || first === '\t' || first === '/' || first === '*') continue;
    const code = open >= 0 ? line.slice(0, open) : line;
    if (/\benum\b[^;(]*\{/.test(code)) inEnum = !code.includes('}');
    for (const name of names(code, '(;=[,){:')) symbols.add(name);
    if (!code.trimEnd().endsWith(';')) for (const name of names(code, '(')) functions.add(name);
  }
  return { macros, functions, symbols, includes };
}

/** Words of a line that one of `marks` follows. */
function* names(line: string, marks: string): Generator<string> {
  word.lastIndex = 0;
  for (let match = word.exec(line); match; match = word.exec(line)) {
    let at = word.lastIndex;
    while (line[at] === ' ' || line[at] === '\t') at++;
    if (at < line.length ? marks.includes(line[at]!) : marks.includes('{')) yield match[0];
  }
}
