/** Masks whose CPUs a loop chose one by one; and tables of operations whose wrappers are called like their members. */
import { strict as assert } from 'node:assert';
import { patchOf, priced, shown } from './support';

async function first(body: string, features: readonly string[] = []) {
  const hunk = (await priced(patchOf('arch/x86/mm/tq.c', body), { features })).hunks[0]!;
  return { delta: shown(hunk.delta), other: hunk.other && shown(hunk.other.delta), hunk };
}

/** The other CPUs are interrupted by `mask` and flush; the patch puts another mask in its place. */
const shootdown = (loop: readonly string[]): string => `
 static void tq_flush(void *info)
 {
 	invpcid_flush_all();
 }
 
 void tq_multi(struct cpumask *mask, struct tq_info *info, struct cpumask *left)
 {
+	int cpu;
+
${loop.map(line => `+\t${line}`).join('\n')}
-	smp_call_function_many(mask, tq_flush, info, 1);
+	smp_call_function_many(left, tq_flush, info, 1);
 }`;

describe('masks that a loop chose', function () {
  this.timeout(60_000);

  // From all of c down to none of them: an interrupt and a flush on each.
  const none = { INVPCID_ALL_GLOBAL: '-c', IPI: '-c' };

  it('hold all CPUs, or none, where the loop takes some out', async () => {
    const { delta, other } = await first(
      shootdown(['cpumask_copy(left, mask);', 'for_each_cpu(cpu, left)', '\tif (per_cpu(tq_idle, cpu))', '\t\tcpumask_clear_cpu(cpu, left);']), // prettier-ignore
    );
    assert.deepEqual([delta, other], [{}, none]);
  });

  it('hold all CPUs, or none, where the loop puts some in', async () => {
    const { delta, other, hunk } = await first(
      shootdown(['cpumask_clear(left);', 'for_each_cpu(cpu, mask) {', '\tif (!tq_is_idle(cpu))', '\t\t__cpumask_set_cpu(cpu, left);', '}']), // prettier-ignore
    );
    assert.deepEqual([delta, other], [{}, none]);
    assert.ok(hunk.conditions.some(({ text }) => text.startsWith('left holds all')));
  });

  it('are whole where every CPU is put in', async () => {
    const { delta, other } = await first(
      shootdown(['for_each_cpu(cpu, mask)', '\tcpumask_set_cpu(cpu, left);']),
    );
    assert.deepEqual([delta, other], [{}, null]);
  });
});

describe('members of a table of operations', function () {
  this.timeout(60_000);

  it('are not their own wrappers', async () => {
    const { delta, hunk } = await first(
      `
 static inline void write_cr3(unsigned long x)
 {
 	PVOP_VCALL1(mmu.write_cr3, x);
 }
 
 void tq_load(unsigned long pa)
 {
+	write_cr3(pa);
+	write_cr3(pa | X86_CR3_PCID_NOFLUSH);
 }`,
      ['PCID'],
    );
    assert.deepEqual(delta, { CR3_FLUSH: '1', CR3_NOFLUSH: '1' });
    assert.deepEqual(hunk.unknown, []);
  });
});

describe('load_new_mm_cr3', function () {
  this.timeout(60_000);

  const call = (argument: string) =>
    ` void tq(pgd_t *pgd, bool need)\n {\n+\tload_new_mm_cr3(pgd, 1, ${argument});\n }`;

  it('flushes where its argument says so', async () => {
    assert.deepEqual((await first(call('true'), ['PCID'])).delta, { CR3_FLUSH: '1' });
    assert.deepEqual((await first(call('false'), ['PCID'])).delta, { CR3_NOFLUSH: '1' });
  });

  it('is asked by its last argument, also where one more stands before it', async () => {
    assert.deepEqual((await first(call('0, false'), ['PCID'])).delta, { CR3_NOFLUSH: '1' });
    assert.deepEqual((await first(call('0, true'), ['PCID'])).delta, { CR3_FLUSH: '1' });
  });

  it('has both answers where its argument is open', async () => {
    const { delta, other } = await first(call('need'), ['PCID']);
    assert.deepEqual([delta, other], [{ CR3_FLUSH: '1' }, { CR3_NOFLUSH: '1' }]);
  });
});
