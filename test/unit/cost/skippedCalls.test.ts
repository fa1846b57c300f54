/** Files that name nothing of the catalogue are not read; what they call is still no silent zero. */
import { strict as assert } from 'node:assert';
import { patchOf, priced } from './support';

const unknownOf = async (body: string, path = 'arch/x86/mm/tq.c'): Promise<string[]> => {
  const [hunk] = (await priced(patchOf(path, body))).hunks;
  assert.equal(hunk!.delta.size, 0);
  return hunk!.unknown.filter(({ name }) => name !== 'cycles').map(({ name }) => name); // prettier-ignore
};

const inBody = (lines: string): string => ` void tq(unsigned long addr)\n {\n \tint q;\n${lines}\n }`;

describe('calls in files that are not read', function () {
  this.timeout(20_000);

  it('lists an unknown callee, a method and a macro, added or removed', async () => {
    assert.deepEqual(await unknownOf(inBody('+\ttq_drop_everything(addr);')), ['tq_drop_everything']);
    assert.deepEqual(await unknownOf(inBody('-\tops->drop(addr);')), ['ops->drop']);
    assert.deepEqual(await unknownOf(inBody('+\tTQ_DROP(addr);')), ['TQ_DROP']);
  });

  it('lists calls and macros of assembly', async () => {
    const body = ' SYM_CODE_START(tq)\n \tnop\n+\tcall tq_drop\n+\tTQ_DROP %rax\n \tret\n SYM_CODE_END(tq)';
    assert.deepEqual(await unknownOf(body, 'arch/x86/entry/tq.S'), ['tq_drop', 'TQ_DROP']);
    assert.deepEqual(await unknownOf(body, 'arch/x86/entry/tq.h'), ['tq_drop', 'TQ_DROP']);
    const given = ' SYM_CODE_START(tq)\n-\tTQ_DROP %rax\n+\tTQ_DROP %rax fence=1\n \tret\n SYM_CODE_END(tq)';
    assert.deepEqual(await unknownOf(given, 'arch/x86/entry/tq.h'), ['TQ_DROP']);
  });

  it('leaves out helpers that are known to be free, comments, strings and what cancels', async () => {
    const lines = [
      '+\tlist_add(&a, &b);',
      '+\tif (sizeof(q) > 3)',
      '+\t\tprintk("tq_a()");',
      '+\t/* tq_b() */',
      '-\ttq_c(addr, "a");',
      '+\ttq_c( addr,',
      '+\t     "b");',
    ];
    assert.deepEqual(await unknownOf(inBody(lines.join('\n'))), []);
  });

  it('lists a callee that is given something else', async () => {
    const lines = ['-\ttq_c(addr, 1);', '+\ttq_c(addr,', '+\t     2);'];
    assert.deepEqual(await unknownOf(inBody(lines.join('\n'))), ['tq_c']);
  });

  it('lists a callee whose argument is set to something else', async () => {
    const set = (before: string, after: string, call: string): string =>
      inBody(`-\tunsigned long k = ${before};\n+\tunsigned long k = ${after};\n \n \t${call};`);
    assert.deepEqual(await unknownOf(set('1', '8', 'tq_c(addr, k)')), ['tq_c']);
    assert.deepEqual(await unknownOf(set('1', '8', 'tq_c(addr, q)')), []);
    assert.deepEqual(await unknownOf(set('a  + 1', 'a + 1', 'tq_c(addr, k)')), []);
    assert.deepEqual(await unknownOf(set('1', '8', 'list_add(&k, &q)')), []);
  });

  it('leaves out what the same patch defines', async () => {
    const body = '+static int tq_sum(int a)\n+{\n+\treturn a + 1;\n+}\n+\n' + inBody('+\tq = tq_sum(3);');
    assert.deepEqual(await unknownOf(body), []);
  });
});
