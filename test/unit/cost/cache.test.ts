import { strict as assert } from 'node:assert';
import { makeFrontEnd } from '../../../src/cost/frontEnd';
import { ModuleCache } from '../../../src/cost/moduleCache';
import { analysePatch, type FrontEnd } from '../../../src/cost/price';
import { readPatch } from '../../../src/patch/read';
import { loadParser, optionsOf, patchOf, shown } from './support';

const one = `
 static void tq_flush(unsigned long addr)
 {
+	asm volatile("invlpg (%0)" : : "r" (addr) : "memory");
 }
`;

describe('pricing again after an edit', () => {
  it('reads only what changed, and places the rest anew', async () => {
    await loadParser();
    const inner = makeFrontEnd({ config: new Map(), index: null });
    let read = 0;
    const frontEnd: FrontEnd = {
      c: (units, context) => {
        read++;
        return inner.c(units, context);
      },
      asm: (units, context) => inner.asm(units, context),
    };
    const cache = new ModuleCache();
    const price = async (text: string) => {
      const pricer = await analysePatch(readPatch(text), { frontEnd, tree: null, cache });
      return pricer.price(optionsOf({})).hunks[0]!;
    };
    const patch = patchOf('arch/x86/mm/tq.c', one);
    const first = await price(patch);
    const before = read;
    const lower = await price(`A line of prose.\n${patch}`);
    assert.equal(read, before);
    assert.deepEqual(shown(lower.delta), shown(first.delta));
    assert.equal(lower.lines[0]!.documentLine, first.lines[0]!.documentLine + 1);
    const changed = await price(patch.replace('invlpg (%0)"', 'lfence"'));
    assert.ok(read > before);
    assert.deepEqual(shown(changed.delta), { LFENCE: '1' });
  });
});
