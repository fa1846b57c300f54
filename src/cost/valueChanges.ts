/**
 * Values at the level of a file that a hunk changes: constants, enumerators, first values of variables and static keys,
 * entries of tables. Functions whose own lines stay the same are not run again for them, so they are listed.
 */
import { LineKind, type PatchFile, type PatchHunk } from '../patch/model';
import type { UnknownItem } from './priced';
import { isCode } from './units';

const kinds: readonly RegExp[] = [
  /^\s*#\s*define\s+(\w+)\s+(\S.*)$/,
  /^(?:[A-Za-z_][\w \t*]{0,160}[ \t*])?(\w+)\s*=\s*([^={;][^;]*);\s*$/,
  /^\s*(?:enum\b[^{]{0,80}\{\s*)?([A-Z][A-Z0-9_]+)\s*=\s*([^,}]+?)\s*(?:,|\}\s*;|$)/,
  /^\s*(\.\w+)\s*=\s*&?([A-Za-z_]\w*)\s*,?\s*$/,
];
const staticKey = /^(?:static\s+)?(?:DEFINE|DECLARE)_STATIC_KEY_(\w+)\(\s*(\w+)/;
const longestLine = 300;

/** The name and the value that a line gives at the level of a file, or null. */
function valueOn(line: string): { name: string; value: string } | null {
  const text = line.slice(0, longestLine).replace(/\/\*.*$|\/\/.*$/, '').replace(/\s__\w+(?=\s*=)/, '').trimEnd(); // prettier-ignore
  const key = staticKey.exec(text);
  if (key) return { name: key[2]!, value: key[1]! };
  for (const kind of kinds) {
    const match = kind.exec(text);
    if (match) return { name: match[1]!, value: match[2]!.trim() };
  }
  return null;
}

/** Whether a line can give a value: it assigns, defines, or declares a key. */
const mayGive = (text: string): boolean =>
  text.includes('=') || text.includes('#') || text.includes('STATIC_KEY');

/** A value at file level that changes. */
export interface ValueChange extends UnknownItem {
  /** A macro or an enumerator: code that uses it has the value in it. */
  readonly constant: boolean;
}

const isConstant = /^\s*(?:#\s*define\b|enum\b|[A-Z][A-Z0-9_]+\s*=)/;

/** The values that each hunk of a file changes; null if there are none. */
export function valueChanges(file: PatchFile): readonly (readonly ValueChange[])[] | null {
  if (!isCode(file.newPath ?? file.oldPath ?? '')) return null;
  const found = file.hunks.map(hunk => changesOf(hunk));
  return found.some(changes => changes.length > 0) ? found : null;
}

const noChanges: readonly ValueChange[] = [];

function changesOf({ source, firstLine, endLine, parents }: PatchHunk): readonly ValueChange[] {
  if (!mayGive(source.text.slice(source.lineStart(firstLine), source.lineEnd(endLine - 1)))) return noChanges;
  const before = new Map<string, string>();
  const changes: ValueChange[] = [];
  for (let line = firstLine; line < endLine; line++) {
    const kind = source.lineKind(line);
    if (kind !== LineKind.Removed && kind !== LineKind.Added) continue;
    const text = source.lineText(line);
    const found = mayGive(text) ? valueOn(text.slice(parents)) : null;
    if (!found) continue;
    if (kind === LineKind.Removed) before.set(found.name, found.value);
    const old = kind === LineKind.Added ? before.get(found.name) : undefined;
    if (old === undefined || old === found.value) continue;
    changes.push({
      name: found.name,
      constant: isConstant.test(text.slice(parents, longestLine)),
      documentLine: source.documentLine(line),
      why: `its value changes from ${old} to ${found.value}; functions whose own lines stay the same are not counted again`,
    });
  }
  return changes;
}
