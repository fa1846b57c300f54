import { strict as assert } from 'node:assert';
import { patchOf, priced, shown } from './support';

const price = async (body: string, features: string[] = []) => {
  const { hunks } = await priced(patchOf('arch/x86/mm/tq.c', body), { features });
  return hunks[0]!;
};

/** One local flush became one global INVPCID. */
const swapped = { CR3_FLUSH: '-1', INVPCID_ALL_GLOBAL: '1' };
const swap = '-\tflush_tlb_local();\n+\tinvpcid_flush_all();\n';

describe('hunks without a heading that begin inside a function', () => {
  const beginnings: Readonly<Record<string, string>> = {
    'the opening brace': ` {\n${swap} }\n`,
    'the opening brace, with nothing behind the change': ` {\n${swap}`,
    'the opening brace and declarations': ` {\n \tint tq_a;\n \n${swap}`,
    'a declaration': ` \tunsigned long tq_a;\n${swap}`,
    'the end of the function before': ` }\n \n${swap}`,
    'the end of an initialiser': ` \t.tq_a = 1,\n };\n \n${swap}`,
    'the change, before the end of a loop': `${swap} \t} while (tq_a);\n \treturn;\n`,
  };
  for (const [name, body] of Object.entries(beginnings))
    it(`begins with ${name}`, async () => {
      const hunk = await price(body);
      assert.deepEqual(shown(hunk.delta), swapped);
      assert.equal(hunk.presence, 'present');
    });

  it('keeps the gate of an if behind declarations', async () => {
    const body = ` \tunsigned long tq_a = 0;\n \n+\tif (static_cpu_has(X86_FEATURE_PTI)) {\n+\t\tinvpcid_flush_all();\n+\t}\n`;
    const hunk = await price(body);
    assert.deepEqual(shown(hunk.delta), {});
    assert.deepEqual(hunk.gates, ['PTI']);
    assert.deepEqual(shown((await price(body, ['PTI'])).delta), { INVPCID_ALL_GLOBAL: '1' });
    assert.ok(hunk.functions.every(one => one !== 'if'));
  });

  it('lists the unseen rest where added lines leave before it', async () => {
    const body = `+\tif (static_cpu_has(X86_FEATURE_PTI)) {\n+\t\tinvpcid_flush_all();\n+\t\treturn;\n+\t}\n`;
    const names = (hunk: Awaited<ReturnType<typeof price>>) => hunk.unknown.map(({ name }) => name);
    const off = await price(body);
    assert.deepEqual(names(off), []);
    assert.equal(off.presence, 'present');
    const on = await price(body, ['PTI']);
    assert.deepEqual(shown(on.delta), { INVPCID_ALL_GLOBAL: '1' });
    assert.deepEqual(names(on), ['unseen lines']);
  });

  it('reads control words at the margin as statements', async () => {
    const body = ` int tq_a;\n \n+if (static_cpu_has(X86_FEATURE_PTI)) {\n+invpcid_flush_all();\n+}\n`;
    const hunk = await price(body);
    assert.deepEqual(hunk.gates, ['PTI']);
    assert.ok(hunk.functions.every(one => one !== 'if'));
  });

  it('takes no struct or initialiser for a function', async () => {
    for (const body of [
      ` {\n \tint tq_a;\n+\tvoid (*tq_flush)(void);\n };\n`,
      ` {\n+\t.tq_flush = tq_flush_all,\n \t.tq_a = 1,\n };\n`,
      ` \tint tq_a;\n+\tint tq_b;\n \tDECLARE_BITMAP(tq_c, 64);\n`,
    ]) {
      const hunk = await price(body);
      assert.deepEqual(shown(hunk.delta), {});
      assert.deepEqual(hunk.functions, [], body);
    }
  });

  it('reads a fragment of assembly that only sets or clears the bit that keeps entries', async () => {
    for (const line of ['bts\t$63, %rdi', 'btrq\t$63, %rdi', 'btsq $0x3f, %rdi']) {
      const patch = patchOf('arch/x86/entry/tq.S', ` \tmovq\t%rax, %rdi\n+\t${line}\n \tjmp\t.Ltq\n`);
      const [hunk] = (await priced(patch)).hunks;
      assert.ok(
        hunk!.unknown.some(({ name }) => name === 'CR3'),
        line,
      );
      assert.equal(hunk!.cycles, null);
    }
  });
});
