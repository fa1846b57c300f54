/** Blocks whose head a hunk does not show, recursion, and sums of nothing but what is unknown: never a sure number. */
import { strict as assert } from 'node:assert';
import { patchOf, priced, shown } from './support';

const path = 'arch/x86/mm/tq.c';
const heading = 'static void tq(unsigned long start, unsigned long end)';

async function only(body: string) {
  const document = await priced(patchOf(path, body, heading));
  return { hunk: document.hunks[0]!, total: document.total };
}

describe('what a price rests on that is not shown', function () {
  this.timeout(60_000);

  it('lists a block whose head is not shown: it may be a loop', async () => {
    const { hunk } = await only(' \t\tmb();\n-\t\tflush_tlb_local();\n \t}\n \tmb();\n }');
    assert.deepEqual(shown(hunk.delta), { CR3_FLUSH: '-1' });
    assert.ok(hunk.unknown.some(({ name, why }) => name === '…' && why.includes('in a loop')));
  });

  it('does not list it where nothing inside it changes', async () => {
    const { hunk } = await only(' \t\tmb();\n \t}\n-\tflush_tlb_local();\n }');
    assert.deepEqual(hunk.unknown, []);
  });

  it('counts the range where the body steps an address', async () => {
    for (const step of ['addr += PAGE_SIZE;', 'addr = addr + (1UL << shift);']) {
      const { hunk } = await only(` \t\tprep(addr);\n-\t\tinvlpg(addr);\n \t\t${step}\n \t}\n }`);
      assert.deepEqual(shown(hunk.delta), { INVLPG: '-n' });
      assert.ok(hunk.assumed.some(text => text.includes('walks the range')));
    }
  });

  it('has no number for a loop whose end is not shown and whose body tells nothing', async () => {
    const { hunk } = await only(' \tdo {\n-\t\tinvlpg(addr);\n \t\tx = 1;');
    assert.equal(hunk.cycles, null);
    assert.ok(hunk.unknown.some(({ name }) => name === '…'));
  });

  it('has no cycles for a recursion over the range', async () => {
    const { hunk, total } = await only(
      ' static void tq_r(unsigned long a, unsigned long end)\n {\n \tif (a >= end)\n \t\treturn;\n+\tinvlpg(a);\n \ttq_r(a + PAGE_SIZE, end);\n }',
    );
    assert.equal(hunk.cycles, null);
    assert.equal(total.cycles, null);
    assert.ok(hunk.unknown.some(({ name }) => name === 'tq_r'));
  });

  it('has no cycles where all that changed is unknown', async () => {
    const { hunk, total } = await only(' void tq(void)\n {\n \tmb();\n+\ttq_flush_somewhere();\n }');
    assert.deepEqual(shown(hunk.delta), {});
    assert.equal(hunk.cycles, null);
    assert.match(hunk.noCycles, /^tq_flush_somewhere: /);
    assert.equal(total.cycles, null);
  });

  it('has cycles where what is unknown is the same before and after', async () => {
    const { hunk, total } = await only(' void tq(void)\n {\n \ttq_flush_somewhere();\n+\tmb();\n }');
    assert.deepEqual(shown(hunk.delta), { MFENCE: '1' });
    assert.notEqual(hunk.cycles, null);
    assert.notEqual(total.cycles, null);
    assert.deepEqual(hunk.unknown, []);
  });

  it('lists in the total what it leaves out', async () => {
    const { total } = await only(' void tq(void)\n {\n+\tmb();\n+\ttq_flush_somewhere();\n }');
    assert.deepEqual(shown(total.delta), { MFENCE: '1' });
    assert.notEqual(total.cycles, null);
    assert.deepEqual(
      total.unknown.map(({ name }) => name),
      ['tq_flush_somewhere'],
    );
  });

  it('has no total cycles where only calls of a file that is not read change', async () => {
    const { hunk, total } = await only(' \ty = 1;\n+\ttq_somewhere(y);\n \tz = 2;');
    assert.equal(hunk.cycles, null);
    assert.equal(total.cycles, null);
    assert.ok(total.unknown.some(({ name }) => name === 'tq_somewhere'));
  });

  it('leaves a root of which only unknown callees change out of a total that counts something', async () => {
    const { total } = await only(
      ' void tq(void)\n {\n+\tmb();\n }\n \n void tq_other(void)\n {\n \tmb();\n+\ttq_somewhere();\n }',
    );
    assert.deepEqual(shown(total.delta), { MFENCE: '1' });
    assert.notEqual(total.cycles, null);
    assert.ok(total.unknown.some(({ name }) => name === 'tq_somewhere'));
  });
});
