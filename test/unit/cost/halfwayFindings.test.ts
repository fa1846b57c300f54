/** Findings on a file of a tree are those of the whole patch, not of some of its hunks. */
import { strict as assert } from 'node:assert';
import { makeFrontEnd } from '../../../src/cost/frontEnd';
import { analysePatch } from '../../../src/cost/price';
import { readPatch } from '../../../src/patch/read';
import { loadParser, optionsOf } from './support';

const path = 'arch/x86/entry/tq.S';
const before = ['.macro TQ_ONE scratch:req', '\tmovq\t%cr3, \\scratch', '\tnop', '\tnop', '\tnop', '\tnop', '\tnop', '\tmovq\t\\scratch, %cr3', '.endm']; // prettier-ignore

const patchWith = (used: string): string =>
  `diff --git a/${path} b/${path}
--- a/${path}
+++ b/${path}
@@ -1,2 +1,2 @@
-.macro TQ_ONE scratch:req
+.macro TQ_ONE scratch:req other:req
 \tmovq\t%cr3, \\scratch
@@ -7,3 +7,4 @@
 \tnop
+\tmovq\t\\scratch, \\${used}
 \tmovq\t\\scratch, %cr3
 .endm
`;

async function kinds(patch: string): Promise<string[]> {
  await loadParser();
  const frontEnd = makeFrontEnd({ config: new Map(), index: null });
  const tree = { lines: (name: string) => (name === path ? before : null) };
  const pricer = await analysePatch(readPatch(patch), { frontEnd, tree });
  return pricer.price(optionsOf({})).findings.map(({ kind }) => kind);
}

describe('findings of a patch on a tree', function () {
  this.timeout(20_000);

  it('leave out a parameter that a later hunk uses', async () => {
    assert.ok(!(await kinds(patchWith('other'))).includes('unused-parameter'));
  });

  it('hold one that no hunk uses', async () => {
    assert.ok((await kinds(patchWith('scratch'))).includes('unused-parameter'));
  });
});
