/** Features that change a price only together. */
import { strict as assert } from 'node:assert';
import { patchOf, priced, shown } from './support';

describe('features that are needed together', function () {
  this.timeout(60_000);

  const tests: Readonly<Record<string, string>> = {
    'one behind the other':
      '+\tif (static_cpu_has(X86_FEATURE_PTI) && this_cpu_has(X86_FEATURE_INVPCID))\n+\t\tinvlpg(a);',
    'asked first':
      '+\tbool inv = boot_cpu_has(X86_FEATURE_INVPCID), pti = boot_cpu_has(X86_FEATURE_PTI);\n+\n+\tif (pti && inv)\n+\t\tinvlpg(a);',
  };
  for (const [name, lines] of Object.entries(tests))
    it(`are both gates, each alone and both: ${name}`, async () => {
      const patch = patchOf('arch/x86/mm/tq.c', ` void tq(unsigned long a)\n {\n${lines}\n }`);
      const [hunk] = (await priced(patch)).hunks;
      assert.deepEqual(shown(hunk!.delta), {});
      assert.deepEqual(hunk!.gates, ['INVPCID', 'PTI']);
      assert.deepEqual(
        hunk!.alternatives.map(({ features, delta }) => [features.join(), shown(delta)]),
        [
          ['INVPCID', {}],
          ['INVPCID,PTI', { INVLPG: '1' }],
          ['PTI', {}],
        ],
      );
    });
});
