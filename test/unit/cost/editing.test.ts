import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { LoweringMemory } from '../../../src/code/lowerC';
import { makeFrontEnd } from '../../../src/cost/frontEnd';
import { analysePatch } from '../../../src/cost/price';
import { costJson } from '../../../src/cost/report';
import { readPatch } from '../../../src/patch/read';
import { loadParser, optionsOf, patchOf } from './support';

const flush = (name: string, call: string): string => `
 static void ${name}(struct mm_struct *mm, unsigned long start)
 {
 	if (!mm)
 		return;
+	${call}
 	tq_count++;
 }
`;

const hunk = (start: number, lines: readonly string[]): string => {
  const olds = lines.filter(line => !line.startsWith('+')).length;
  const news = lines.filter(line => !line.startsWith('-')).length;
  return [`@@ -${start},${olds} +${start},${news} @@`, ...lines, ''].join('\n');
};

const linesOf = (text: string): string[] => text.trimEnd().split('\n').filter(Boolean);

/** A file with one hunk for each function. */
function fileOf(calls: readonly string[], before: readonly string[] = []): string {
  const path = 'arch/x86/mm/tq.c';
  const head = patchOf(path, ' tq').split('\n@@')[0]!;
  const hunks = [
    ...before.map(text => hunk(10, [` ${text}`])),
    ...calls.map((call, at) => hunk(100 * (at + 1), linesOf(flush(`tq_flush_${at}`, call)))),
  ];
  return [head, ...hunks].join('\n');
}

describe('pricing again after an edit', () => {
  before(loadParser);

  const price = async (text: string, memory: LoweringMemory) => {
    const frontEnd = makeFrontEnd({ config: new Map(), index: null, memory });
    const pricer = await analysePatch(readPatch(text), { frontEnd, tree: null });
    return JSON.stringify(costJson(pricer.price(optionsOf({}))));
  };
  const calls = Array.from({ length: 12 }, (_, at) => (at % 2 ? '__flush_tlb_all();' : 'flush_tlb_mm(mm);'));

  it('reads only the functions of the hunk that was touched', async () => {
    const memory = new LoweringMemory();
    await price(fileOf(calls), memory);
    const { lowered } = memory;
    assert.ok(lowered > 0);
    await price(fileOf(calls), memory);
    assert.equal(memory.lowered, lowered, 'nothing has changed');
    const edited: string[] = [...calls];
    edited[5] = 'flush_tlb_mm(mm); __flush_tlb_global();';
    const answer = await price(fileOf(edited), memory);
    assert.equal(memory.lowered, lowered + 1, 'the new side of one function');
    assert.equal(answer, await price(fileOf(edited), new LoweringMemory()));
  });

  it('places the others anew where lines move', async () => {
    const memory = new LoweringMemory();
    await price(fileOf(calls), memory);
    const { lowered } = memory;
    const longer = calls.map((call, at) => (at === 0 ? `${call}\n+\t__flush_tlb_all();` : call));
    const answer = await price(fileOf(longer), memory);
    assert.equal(memory.lowered, lowered + 1);
    assert.equal(answer, await price(fileOf(longer), new LoweringMemory()));
  });

  it('goes on where a reading that was cancelled stopped', async () => {
    const whole = new LoweringMemory();
    const answer = await price(fileOf(calls), whole);
    const memory = new LoweringMemory();
    let steps = 0;
    const breathe = () => {
      if (++steps > 7) throw new Error('cancelled');
      return undefined;
    };
    const frontEnd = makeFrontEnd({ config: new Map(), index: null, memory, breathe });
    await assert.rejects(analysePatch(readPatch(fileOf(calls)), { frontEnd, tree: null }), /cancelled/);
    const { lowered } = memory;
    assert.ok(lowered > 0 && lowered < whole.lowered);
    assert.equal(await price(fileOf(calls), memory), answer);
    assert.equal(memory.lowered, whole.lowered, 'nothing was read twice');
  });

  it('can be left between two hunks while it is priced, and begun anew', async () => {
    const frontEnd = makeFrontEnd({ config: new Map(), index: null });
    const pricer = await analysePatch(readPatch(fileOf(calls)), { frontEnd, tree: null });
    const steps = pricer.pricing(optionsOf({}));
    for (let step = 0; step < 6; step++) assert.equal(steps.next().done, false);
    const answer = JSON.stringify(costJson(pricer.price(optionsOf({}))));
    assert.equal(answer, await price(fileOf(calls), new LoweringMemory()));
  });

  it('reads again what a macro, a type or a callee above it changes', async () => {
    const memory = new LoweringMemory();
    const macro = (body: string) => fileOf(['tq_do(mm);'], [`#define tq_do(x) ${body}`]);
    await price(macro('flush_tlb_mm(x)'), memory);
    const other = macro('do { } while (0)');
    assert.equal(await price(other, memory), await price(other, new LoweringMemory()));
  });

  it('gives what a first reading gives, whatever was read before', async function () {
    this.timeout(60_000);
    const pieces = fc.constantFrom(
      'flush_tlb_mm(mm);',
      '__flush_tlb_all();',
      'tq_flush_0(mm, start);',
      'tq_flush_1(mm, 0);',
      'return;',
      'if (IS_ENABLED(CONFIG_SMP)) __flush_tlb_global();',
      'tq_broken((;',
      'tq_do(mm);',
      'tq_t x = start; __flush_tlb_one_user(x);',
    );
    const tops = fc.constantFrom(
      '#define tq_do(x) flush_tlb_mm(x)',
      '#define tq_do(x) __flush_tlb_all()',
      'typedef unsigned long tq_t;',
      'typedef unsigned char tq_t;',
      '#undef tq_do',
    );
    const documents = fc.array(
      fc.tuple(fc.array(pieces, { minLength: 1, maxLength: 4 }), fc.array(tops, { maxLength: 2 })),
      { minLength: 2, maxLength: 4 },
    );
    await fc.assert(
      fc.asyncProperty(documents, async texts => {
        const memory = new LoweringMemory();
        for (const [bodies, before] of texts) {
          const text = fileOf(bodies, before);
          assert.equal(await price(text, memory), await price(text, new LoweringMemory()));
        }
      }),
      { numRuns: 40 },
    );
  });
});
