/** The model is its own text: never more than four lines in a row, apart from trivial ones, are those of Linux 6.1. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { modelVariants } from '../../../src/kernel/tree';
import { variantTree as xenVariant } from '../../../src/scenario/variants';
import { xenPatches } from '../../../src/scenario/xenTree';
import { variantTree } from './support';

const source = join(process.cwd(), '.cache/linux-source-6.1');
const atMost = 4;

/** Lines that say nothing: blank, braces, comment marks, includes, `else`, `return;` and the like. */
const isTrivial = (line: string): boolean =>
  line.replace(/[^A-Za-z0-9]/g, '').length < 6 ||
  /^(?:#(?:include|endif|ifndef|else)|\/\/|return;|break;)/.test(line);

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map(line => line.trim().replace(/\s+/g, ' '))
    .filter(line => !isTrivial(line));

function* filesBelow(folder: string): Generator<string> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) yield* filesBelow(path);
    else if (/\.[chS]$/.test(name)) yield path;
  }
}

describe('the model kernel beside Linux 6.1', function () {
  this.timeout(120_000);

  it('shares no run of more than four lines', function () {
    if (!existsSync(source)) {
      console.log('      no tree: run node scripts/linux-source.mjs');
      return this.skip();
    }
    // Runs of five lines of the model → where they are.
    const runs = new Map<string, string>();
    const trees = [
      ...modelVariants.map(({ name }) => [name, variantTree(name)] as const),
      ...[...xenPatches.keys()].map(
        name => [name, xenVariant('xen', { name, patches: [name], line: 0 })] as const,
      ),
    ];
    for (const [name, tree] of trees)
      for (const [path, text] of tree) {
        const lines = linesOf(text);
        for (let at = 0; at + atMost < lines.length; at++)
          runs.set(lines.slice(at, at + atMost + 1).join('\n'), `${name} ${path}`);
      }
    const found: string[] = [];
    for (const path of filesBelow(source)) {
      const lines = linesOf(readFileSync(path, 'utf8'));
      for (let at = 0; at + atMost < lines.length; at++) {
        const run = lines.slice(at, at + atMost + 1).join('\n');
        const where = runs.get(run);
        if (where !== undefined) found.push(`${where} = ${path}:\n${run}`);
      }
    }
    assert.deepEqual(found, []);
  });
});
