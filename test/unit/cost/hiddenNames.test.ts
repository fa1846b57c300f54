import { strict as assert } from 'node:assert';
import { patchOf, priced, shown } from './support';

const price = async (body: string, features: string[] = [], path = 'arch/x86/mm/tq.c') =>
  (await priced(patchOf(path, body), { features })).hunks[0]!;

const inBody = (line: string): string => ` int tq(int a)\n {\n+\t${line}\n \treturn a;\n }\n`;

describe('feature tests behind other names', () => {
  const ways: Readonly<Record<string, readonly [definition: string, test: string]>> = {
    'a macro with parentheses': ['#define tq_pti() (static_cpu_has(X86_FEATURE_PTI))', 'tq_pti()'],
    'a macro without': ['#define TQ_PTI static_cpu_has(X86_FEATURE_PTI)', 'TQ_PTI'],
    'a pasted name': ['#define tq_has(f) static_cpu_has(X86_FEATURE_##f)', 'tq_has(PTI)'],
    'a macro for the name': ['#define TQ_FEATURE X86_FEATURE_PTI', 'boot_cpu_has(TQ_FEATURE)'],
    'an argument of an inline function': [
      'static inline bool tq_has(int f)\n {\n \treturn static_cpu_has(f);\n }',
      'tq_has(X86_FEATURE_PTI)',
    ],
    'an old name': ['#define TQ_OLD 1', 'static_cpu_has(X86_FEATURE_KAISER)'],
  };
  for (const [name, [definition, test]] of Object.entries(ways))
    it(`${name} is the gate itself`, async () => {
      const patch = ` ${definition}\n \n${inBody(`if (${test})\n+\t\tinvpcid_flush_all();`)}`;
      const off = await price(patch);
      assert.deepEqual(off.gates, ['PTI'], patch);
      assert.deepEqual(shown(off.delta), {});
      assert.deepEqual(shown((await price(patch, ['PTI'])).delta), { INVPCID_ALL_GLOBAL: '1' });
    });

  it('a static key is known by its own name behind a macro', async () => {
    const body = ` DEFINE_STATIC_KEY_FALSE(tq_key);\n #define tq_on() static_branch_unlikely(&tq_key)\n \n${inBody('if (tq_on()) invpcid_flush_all();')}`;
    assert.deepEqual((await price(body)).gates, ['tq_key']);
  });

  it('xen_pv_domain() is the gate XEN_PV', async () => {
    const hunk = await price(inBody('if (xen_pv_domain()) invpcid_flush_all();'), ['XEN_PV']);
    assert.deepEqual(hunk.gates, ['XEN_PV']);
    assert.deepEqual(
      hunk.unknown.filter(({ name }) => name === 'xen_pv_domain'),
      [],
    );
  });
});

describe('instructions in C', () => {
  const names = (unknown: readonly { readonly name: string }[]): string[] => unknown.map(one => one.name);

  it('lists what it does not know', async () => {
    for (const line of [
      'asm volatile("tqflush %0" : : "r" (a));',
      'asm volatile(".byte 0x0f, 0x01, 0x38");',
    ]) {
      const hunk = await price(inBody(line));
      assert.deepEqual(shown(hunk.delta), {});
      assert.equal(names(hunk.unknown).length, 1, line);
    }
  });

  it('lists no compiler barrier', async () => {
    const hunk = await price(inBody('asm volatile("" : : : "memory");'));
    assert.deepEqual(hunk.unknown, []);
  });

  it('reads encodings that are known', async () => {
    const hunk = await price(inBody('asm volatile(".byte 0x0f, 0x01, 0xff" : : : "memory");'));
    assert.deepEqual(shown(hunk.delta), { TLBSYNC: '1' });
  });

  it('counts range forms of TLBI by address, and lists those of stage 2', async () => {
    const arm = 'arch/arm64/mm/tq.c';
    const range = await price(inBody('__tlbi(rvale1is, a);'), [], arm);
    assert.deepEqual(shown(range.delta), { TLBI_VA_IS: '1' });
    const stage2 = await price(inBody('__tlbi(ripas2e1is, a);'), [], arm);
    assert.deepEqual(names(stage2.unknown), ['tlbi ripas2e1is']);
  });
});
