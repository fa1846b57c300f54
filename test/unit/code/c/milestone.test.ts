import { strict as assert } from 'node:assert';
import { functionNamed, loadParser, lowerText } from './support';

describe('the C front end', () => {
  before(loadParser);

  it('lowers a per-page loop behind a feature test', () => {
    const module = lowerText(`
static void tq_flush(u16 asid, const struct tq_range *r)
{
	unsigned long addr;

	if (!static_cpu_has(X86_FEATURE_PTI))
		return;
	for (addr = r->start; addr < r->end; addr += PAGE_SIZE)
		asm volatile("invlpg (%0)" :: "r" (addr) : "memory");
}
`);
    const { code, partial, unreadable } = functionNamed(module, 'tq_flush');
    assert.equal(unreadable, null);
    assert.equal(partial, false);
    assert.deepEqual(
      code.flatMap(one => (one.op === 'feature' ? [one.feature] : one.op === 'operation' ? [one.name] : [])),
      ['PTI', 'INVLPG'],
    );
    const branches = code.flatMap(one => (one.op === 'branch' ? [one.text] : []));
    assert.deepEqual(branches, ['static_cpu_has(X86_FEATURE_PTI)', 'addr < r->end']);
    assert.equal(module.functions[0]!.code.find(one => one.op === 'operation')?.line, 8);
  });
});
