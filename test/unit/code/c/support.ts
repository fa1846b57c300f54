import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { CLoweringOptions } from '../../../../src/code/lowerC';
import { loadCParser, lowerC } from '../../../../src/code/lowerC';
import type { IrFunction, IrModule } from '../../../../src/code/ir';
import type { Side, SourceLine, SourceUnit } from '../../../../src/code/source';

const require = createRequire(join(process.cwd(), 'package.json'));

/** Loads the grammar from node_modules. */
export function loadParser(): Promise<void> {
  return loadCParser(name => {
    const path =
      name === 'tree-sitter-c.wasm'
        ? join(require.resolve('tree-sitter-c/package.json'), '..', name)
        : join(require.resolve('web-tree-sitter'), '..', name);
    return Promise.resolve(new Uint8Array(readFileSync(path)));
  });
}

/** A whole file. */
export function fileUnit(path: string, text: string, side: Side = 'tree'): SourceUnit {
  const lines = text.split('\n').map((line, index): SourceLine => {
    return { text: line, fileLine: index + 1, documentLine: 0, changed: false, hunk: -1 };
  });
  return { path, side, lines, whole: true, headings: [] };
}

/** What one side of the hunks shows of a file; a hunk begins with `@@ line heading`, then its lines. */
export function hunkUnit(path: string, text: string): SourceUnit {
  const lines: SourceLine[] = [];
  const headings: string[] = [];
  let fileLine = 0;
  for (const line of text.split('\n')) {
    const header = /^@@ (\d+) ?(.*)$/.exec(line);
    if (header) {
      fileLine = Number(header[1]);
      headings.push(header[2]!);
    } else
      lines.push({
        text: line,
        fileLine: fileLine++,
        documentLine: 0,
        changed: false,
        hunk: headings.length - 1,
      });
  }
  return { path, side: 'new', lines, whole: false, headings };
}

export const defaults: CLoweringOptions = { architecture: 'x86', config: new Map() };

export function lowerText(text: string, options: Partial<CLoweringOptions> = {}): IrModule {
  return lowerC([fileUnit('arch/x86/mm/tq.c', text)], { ...defaults, ...options });
}

export function functionNamed(module: IrModule, name: string): IrFunction {
  const found = module.functions.find(one => one.name === name);
  if (!found) throw new Error(`no function ${name}: ${module.functions.map(one => one.name).join(', ')}`);
  return found;
}

/** Both sides of every file of a plain unified diff; quoted parts and mail text are left out. */
export function unitsOfPatch(patch: string): { old: SourceUnit[]; new: SourceUnit[] } {
  const files: { path: string; old: SourceLine[]; new: SourceLine[]; headings: string[] }[] = [];
  let left = { old: 0, new: 0 };
  let at = { old: 0, new: 0 };
  patch.split('\n').forEach((line, index) => {
    const documentLine = index + 1;
    const file = files.at(-1);
    const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/.exec(line);
    if (left.old <= 0 && left.new <= 0) {
      const name = /^\+\+\+ (?:b\/)?(\S+)/.exec(line);
      if (name) files.push({ path: name[1]!, old: [], new: [], headings: [] });
    }
    if (header && file) {
      at = { old: Number(header[1]), new: Number(header[3]) };
      left = { old: Number(header[2] ?? 1), new: Number(header[4] ?? 1) };
      file.headings.push(header[5]!);
      return;
    }
    if (!file || (left.old <= 0 && left.new <= 0)) return;
    const mark = line[0] ?? ' ';
    const text = line.slice(1);
    const hunk = file.headings.length - 1;
    if (mark !== '+' && mark !== '\\') {
      file.old.push({ text, fileLine: at.old++, documentLine, changed: mark === '-', hunk });
      left.old--;
    }
    if (mark !== '-' && mark !== '\\') {
      file.new.push({ text, fileLine: at.new++, documentLine, changed: mark === '+', hunk });
      left.new--;
    }
  });
  const side = (which: 'old' | 'new'): SourceUnit[] =>
    files.map(file => ({
      path: file.path,
      side: which,
      lines: file[which],
      whole: false,
      headings: file.headings,
    }));
  return { old: side('old'), new: side('new') };
}
