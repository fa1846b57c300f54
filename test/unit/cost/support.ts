/** Prices a patch given as text, with the real readers of code. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { loadCParser } from '../../../src/code/lowerC';
import { makeFrontEnd } from '../../../src/cost/frontEnd';
import { analysePatch, type PriceOptions } from '../../../src/cost/price';
import { parse, print } from '../../../src/cost/polynomial';
import type { DocumentPricer } from '../../../src/cost/pricing';
import type { PricedDocument } from '../../../src/cost/priced';
import type { Counts } from '../../../src/cost/resolve';
import { defaultMachine, findMachine } from '../../../src/machine/registry';
import { decodeDocument } from '../../../src/patch/decode';
import { readPatch } from '../../../src/patch/read';

const require = createRequire(join(process.cwd(), 'package.json'));

/** Loads the grammar from node_modules, once. */
export const loadParser = (): Promise<void> =>
  loadCParser(name => {
    const path =
      name === 'tree-sitter-c.wasm'
        ? join(require.resolve('tree-sitter-c/package.json'), '..', name)
        : join(require.resolve('web-tree-sitter'), '..', name);
    return Promise.resolve(new Uint8Array(readFileSync(path)));
  });

export interface Settings {
  readonly features?: readonly string[];
  readonly switched?: Readonly<Record<string, boolean>>;
  readonly values?: Readonly<Record<string, number>>;
  readonly nGiven?: boolean;
  readonly machine?: string;
}

export const optionsOf = (settings: Settings): PriceOptions => ({
  machine: findMachine(settings.machine ?? '') ?? defaultMachine(),
  features: new Set(settings.features ?? []),
  switched: new Map(Object.entries(settings.switched ?? {})),
  values: { n: 10, c: 3, ...settings.values },
  nGiven: settings.nGiven ?? false,
});

/** Reads a patch text or bytes; the result can be priced again and again. */
export async function analyse(patch: string | Uint8Array): Promise<DocumentPricer> {
  await loadParser();
  const text = typeof patch === 'string' ? patch : decodeDocument(patch).text;
  const frontEnd = makeFrontEnd({ config: new Map(), index: null });
  return analysePatch(readPatch(text), { frontEnd, tree: null });
}

/** Reads and prices. */
export const priced = async (patch: string | Uint8Array, settings: Settings = {}): Promise<PricedDocument> =>
  (await analyse(patch)).price(optionsOf(settings));

/** Operations that the cases leave out. */
const left = new Set(['CR3_READ', 'CR4_READ', 'ATOMIC', 'SERIALIZE', 'PLAIN']);

/** Counts as text, without those that the cases leave out. */
export const shown = (counts: Counts): Record<string, string> =>
  Object.fromEntries(
    [...counts]
      .filter(([name]) => !left.has(name))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, count]) => [name, print(count)]),
  );

/** Expected counts in the same spelling. */
export const canonical = (counts: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(counts)
      .map(([name, text]) => [name, print(parse(text)!)] as const)
      .filter(([name, text]) => !left.has(name) && text !== '0')
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

/** The hunk of a file at a line of the old side. */
export function hunkAt(document: PricedDocument, file: string, oldStart: number, message?: number) {
  const found = document.hunks.find(
    hunk =>
      hunk.file === file && hunk.oldStart === oldStart && (message === undefined || hunk.message === message),
  );
  if (!found) throw new Error(`no hunk ${file}:${oldStart}`);
  return found;
}

/** A one-file patch; `body` holds the hunk's lines with their marks. */
export function patchOf(path: string, body: string, heading = ''): string {
  const lines = body
    .replace(/^\n/, '')
    .replace(/\n\s*$/, '')
    .split('\n');
  const count = (marks: string) => lines.filter(line => marks.includes(line[0] ?? ' ')).length;
  return [
    `diff --git a/${path} b/${path}`,
    'index 1111111..2222222 100644',
    `--- a/${path}`,
    `+++ b/${path}`,
    `@@ -100,${count(' -')} +100,${count(' +')} @@ ${heading}`.trimEnd(),
    ...lines,
    '',
  ].join('\n');
}
