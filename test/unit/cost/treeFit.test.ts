import { strict as assert } from 'node:assert';
import { indexTree } from '../../../src/code/c/treeIndex';
import { makeFrontEnd } from '../../../src/cost/frontEnd';
import { analysePatch } from '../../../src/cost/price';
import { readPatch } from '../../../src/patch/read';
import { hunkAt, loadParser, optionsOf, shown } from './support';

const path = 'arch/x86/mm/tq.c';

/** A helper and its caller, far from each other: only the whole file shows that one calls the other. */
const before = [
  'static void tq_flush_all(void)',
  '{',
  '\t__flush_tlb_all();',
  '}',
  ...Array.from({ length: 30 }, (_, at) => `int tq_value_${at};`),
  'void tq_switch(int busy)',
  '{',
  '\tflush_tlb_mm(&tq_mm);',
  '\ttq_total += tq_count;',
  '\ttq_last = tq_total;',
  '}',
];
const at = before.indexOf('\tflush_tlb_mm(&tq_mm);');
const after = [...before.slice(0, at + 1), '\ttq_flush_all();', ...before.slice(at + 1)];

const patch = [
  `--- a/${path}`,
  `+++ b/${path}`,
  `@@ -${at},4 +${at},5 @@ void tq_switch(int busy)`,
  ' {',
  ' \tflush_tlb_mm(&tq_mm);',
  '+\ttq_flush_all();',
  ' \ttq_total += tq_count;',
  ' \ttq_last = tq_total;',
  '',
].join('\n');

async function price(text: string, tree: Readonly<Record<string, readonly string[]>>) {
  await loadParser();
  const files = new Map(Object.entries(tree).map(([name, lines]) => [name, `${lines.join('\n')}\n`]));
  const frontEnd = makeFrontEnd({ config: new Map(), index: indexTree(files, 'x86') });
  const pricer = await analysePatch(readPatch(text), {
    frontEnd,
    tree: { lines: name => tree[name] ?? null },
  });
  const priced = pricer.price(optionsOf({}));
  return { ...hunkAt(priced, path, at), findings: priced.findings };
}

describe('a patch on the file of a tree', () => {
  it('follows what only the whole file shows', async () => {
    const { delta, tree, findings } = await price(patch, { [path]: before });
    assert.deepEqual(shown(delta), { CR4_WRITE: '2' });
    assert.equal(tree, 'exact');
    assert.deepEqual(findings, []);
  });

  it('is found where the lines have moved, hunk by hunk', async () => {
    const moved = ['/* new */', 'int tq_new;', ...before];
    const { delta, tree } = await price(patch, { [path]: moved });
    assert.deepEqual(shown(delta), { CR4_WRITE: '2' });
    assert.equal(tree, 'moved');
  });

  it('is taken back where the tree has it already, and says so', async () => {
    const { delta, tree, findings, lines } = await price(patch, { [path]: after });
    assert.deepEqual(shown(delta), { CR4_WRITE: '2' });
    assert.equal(tree, 'applied');
    assert.deepEqual(
      findings.map(({ kind, documentLine }) => [kind, documentLine]),
      [['tree-applied', 3]],
    );
    assert.deepEqual(
      lines.map(({ documentLine, side }) => [documentLine, side]),
      [
        [5, 'new'],
        [6, 'new'],
      ],
    );
  });

  it('is read by its own lines where the file is another version, and says so', async () => {
    const other = before.map(line => line.replace('tq_total += tq_count', 'tq_total = tq_count'));
    const { tree, findings } = await price(patch, { [path]: other });
    assert.equal(tree, 'other');
    assert.deepEqual(
      findings.map(({ kind, documentLine }) => [kind, documentLine]),
      [['tree-mismatch', 3]],
    );
  });

  it('says nothing of findings where the tree has no such file', async () => {
    const { tree, findings } = await price(patch, {});
    assert.equal(tree, 'absent');
    assert.deepEqual(findings, []);
  });
});
