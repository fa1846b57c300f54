/** What a price leaves out is said: values that change, recursion, too much code; and both answers are given. */
import { strict as assert } from 'node:assert';
import { patchOf, priced, shown } from './support';

const path = 'arch/x86/mm/tq.c';
const body = '\n void tq(void)\n {\n \tinvpcid_flush_all();\n }';

describe('what a price does not count', function () {
  this.timeout(60_000);

  const values: Readonly<Record<string, readonly [string, string, string]>> = {
    'a constant': ['#define TQ_N 4', '#define TQ_N 8', 'TQ_N'],
    'an enumerator': ['enum { TQ_NR = 4 };', 'enum { TQ_NR = 8 };', 'TQ_NR'],
    'the first value of a variable': ['static bool tq_on = true;', 'static bool tq_on = false;', 'tq_on'],
    'a static key': ['DEFINE_STATIC_KEY_TRUE(tq_key);', 'DEFINE_STATIC_KEY_FALSE(tq_key);', 'tq_key'],
    'an entry of a table': ['\t.drop = tq_drop_one,', '\t.drop = tq_drop_all,', '.drop'],
  };
  for (const [name, [old, now, listed]] of Object.entries(values))
    it(`lists ${name} that changes`, async () => {
      const [hunk] = (await priced(patchOf(path, `-${old}\n+${now}${body}`))).hunks;
      assert.ok(hunk!.unknown.some(item => item.name === listed && item.why.startsWith('its value changes')));
    });

  it('lists an unknown callee that is given something else, directly or through a variable', async () => {
    const given = async (lines: readonly string[]): Promise<string[]> => {
      const all = [' void tq(unsigned long a)', ' {', ' \tinvpcid_flush_all();', ...lines, ' }'];
      const [hunk] = (await priced(patchOf(path, all.join('\n')))).hunks;
      return hunk!.unknown.filter(({ name }) => name !== 'cycles').map(({ name }) => name);
    };
    const calls = (before: string, after: string): string[] => [`-\t${before}`, `+\t${after}`];
    assert.deepEqual(await given(calls('tq_drop(a, 0);', 'tq_drop(a, 1);')), ['tq_drop']);
    assert.deepEqual(await given(calls('tq_drop(a + 8);', 'tq_drop(8 + a);')), []);
    const variable = calls('struct tq_op op = { .type = 0 };', 'struct tq_op op = { .type = 1 };');
    assert.deepEqual(await given([...variable, ' \ttq_apply(&op);']), ['tq_apply']);
    const renamed = calls('struct tq_op op = { .type = 0 };', 'struct tq_op what = { .type = 0 };');
    assert.deepEqual(await given([...renamed, ...calls('tq_apply(&op);', 'tq_apply(&what);')]), []);
  });

  it('lists a value for CR3 whose write is not shown', async () => {
    const lines = [
      ' \tunsigned long cr3;',
      '-\tcr3 = build_cr3(pgd, asid);',
      '+\tcr3 = build_cr3_noflush(pgd, asid);',
      ' \ttq_note(asid);',
    ];
    const [hunk] = (await priced(patchOf(path, lines.join('\n'), 'void tq(pgd_t *pgd, u16 asid)'))).hunks;
    assert.ok(hunk!.unknown.some(({ name }) => name === 'CR3'));
    assert.equal(hunk!.cycles, null);
  });

  it('a new way out before lines that are not shown has no cycles: what it saves may be more', async () => {
    const lines = [
      '+\tif (tq_all) {',
      '+\t\tinvpcid_flush_all();',
      '+\t\treturn;',
      '+\t}',
      '+',
      ' \traw_local_irq_save(flags);',
    ];
    const [hunk] = (await priced(patchOf(path, lines.join('\n'), 'static void tq_flush(void)'))).hunks;
    assert.deepEqual(shown(hunk!.delta), { INVPCID_ALL_GLOBAL: '1' });
    assert.ok(hunk!.unknown.some(({ name }) => name === 'unseen lines'));
    assert.equal(hunk!.cycles, null);
  });

  it('a fragment that begins with the way out of an unseen condition goes on behind it', async () => {
    const lines = [
      ' \t\t\tcontinue;',
      '-\t\tflush_tlb_one_kernel(a);',
      '+\t\tinvpcid_flush_one(0, a);',
      ' \t}',
      ' }',
    ];
    const [hunk] = (await priced(patchOf(path, lines.join('\n'), 'static void tq(struct tq *t)'))).hunks;
    assert.deepEqual(shown(hunk!.delta), { INVLPG: '-1', INVPCID_ADDR: '1' });
    assert.ok(hunk!.unknown.length > 0);
  });

  it('lists what the header of a hunk promises and its body lacks', async () => {
    const lines = [' void tq(void)', ' {', '-\tinvpcid_flush_all();', '+\tmb();', '+\tmb();', ' }'];
    const whole = patchOf(path, lines.join('\n'));
    const cut = whole.split('\n').slice(0, -3).join('\n') + '\n';
    const [hunk] = (await priced(cut)).hunks;
    assert.ok(
      hunk!.unknown.some(({ name, why }) => name === 'lines cut off' && why.includes('2 more lines')),
    );
    const same = (await priced(whole)).hunks[0]!;
    assert.ok(!same.unknown.some(({ name }) => name === 'lines cut off'));
  });

  it('lists a recursion whose body counts differently', async () => {
    const patch = patchOf(
      path,
      ' static void tq_r(unsigned long a, unsigned long end)\n {\n \tif (a >= end)\n \t\treturn;\n \tinvlpg(a);\n+\tinvlpg(a);\n \ttq_r(a + PAGE_SIZE, end);\n }',
    );
    const [hunk] = (await priced(patch)).hunks;
    assert.ok(hunk!.unknown.some(({ name }) => name === 'tq_r'));
  });

  it('gives both answers of branches of different length', async () => {
    const lines = ['if (tq_flag)', '\tinvpcid_flush_all();', 'else', '\tfor (; start < end; start += PAGE_SIZE)', '\t\tinvlpg(start);']; // prettier-ignore
    const added = lines.map(line => `+\t${line}`).join('\n');
    const patch = patchOf(path, ` void tq(unsigned long start, unsigned long end)\n {\n${added}\n }`);
    const [hunk] = (await priced(patch)).hunks;
    assert.deepEqual(shown(hunk!.delta), { INVLPG: 'n' });
    assert.deepEqual(shown(hunk!.other!.delta), { INVPCID_ALL_GLOBAL: '1' });
  });

  it('has no total cycles where a hunk was read by name', async () => {
    const patch = patchOf(
      path,
      ' \ty = a;\t\\\n-\tinvlpg(a);\t\\\n+\tinvpcid_flush_all();\t\\\n \tz = a;\t\\',
    );
    const { hunks, total } = await priced(patch);
    assert.equal(hunks[0]!.byName, true);
    assert.equal(total.cycles, null);
  });

  it('names the bound where a chain of calls doubles at every step', async () => {
    const names = Array.from({ length: 24 }, (_, at) => at).reverse();
    const text = names
      .map(
        at =>
          `+static void f${at}(void)\n+{\n+\t${at ? `f${at - 1}();\n+\tf${at - 1}();` : 'invlpg(0);'}\n+}`,
      )
      .join('\n');
    const { total } = await priced(patchOf(path, text));
    assert.equal(total.cycles, null);
    assert.match(total.noCycles, /not followed to its end/);
  });

  it('prices by name what lies beyond the bound of a document, and says so', async () => {
    const hunk = (at: number): string =>
      `@@ -${at * 10 + 1},2 +${at * 10 + 1},3 @@\n a = 1;\n+\tinvlpg(a);\n b = 2;\n`;
    const head = `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n`;
    const { hunks, findings } = await priced(
      head + Array.from({ length: 3001 }, (_, at) => hunk(at)).join(''),
    );
    assert.ok(findings.some(({ kind }) => kind === 'too-long'));
    assert.ok(hunks.every(({ byName, delta }) => byName && shown(delta)['INVLPG'] === '1'));
  });
});
