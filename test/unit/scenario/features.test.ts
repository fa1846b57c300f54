/**
 * One local flush of n pages by madvise, with and without PTI, PCID and INVPCID, below and above the ceiling: counts
 * stated here independently of the model, from how the kernel's code tests its features.
 */
import { strict as assert } from 'node:assert';
import { defaultMachineId, findMachine } from '../../../src/machine/registry';
import { builtinScenarios } from '../../../src/scenario/builtin';
import { checkScenario } from '../../../src/scenario/check';
import { runScenario } from '../../../src/scenario/run';
import { variantTree, worldBooter } from '../../../src/scenario/variants';
import { loadParser } from '../code/c/support';

const machine = findMachine(defaultMachineId)!;
const names = ['INVLPG', 'INVPCID_ADDR', 'CR3_READ', 'CR3_FLUSH', 'CR3_NOFLUSH', 'LFENCE'] as const;

function expected(
  n: number,
  has: { readonly pti: boolean; readonly pcid: boolean; readonly invpcid: boolean },
  deferred: boolean,
): Record<string, number> {
  const counts = { INVLPG: 0, INVPCID_ADDR: 0, CR3_READ: 0, CR3_FLUSH: 0, CR3_NOFLUSH: 0, LFENCE: 0 };
  /** The user's PCID is flushed by the CR3 write of the exit; or a range is left to it. */
  let owed = false;
  let range = 0;
  const writeCr3 = (keeps: boolean): void => {
    counts[keeps && has.pcid ? 'CR3_NOFLUSH' : 'CR3_FLUSH']++;
  };

  // In: CR3 with the kernel's root. Without PCID there is no bit 63, so every write flushes.
  if (has.pti) {
    counts.CR3_READ++;
    writeCr3(true);
  }
  if (n <= 33) {
    counts.INVLPG += n;
    if (has.pti && has.pcid) {
      if (deferred) range = n;
      else if (has.invpcid) counts.INVPCID_ADDR += n;
      else owed = true;
    }
  } else {
    counts.CR3_READ++;
    writeCr3(false);
    owed = has.pti && has.pcid;
  }
  if (has.pti) {
    counts.CR3_READ++;
    writeCr3(!owed);
    counts.INVLPG += range;
    if (range > 0) counts.LFENCE++;
  }
  return counts;
}

describe('counts by features', function () {
  this.timeout(60_000);
  before(loadParser);

  const text = builtinScenarios.find(({ name }) => name === 'madvise-one-thread')!.text;
  const boot = worldBooter();
  for (const variant of ['base', 'deferred'])
    for (const pti of [true, false])
      for (const pcid of [true, false])
        for (const invpcid of [true, false])
          it(`${variant}: ${pti ? '' : 'no '}PTI, ${pcid ? '' : 'no '}PCID, ${invpcid ? '' : 'no '}INVPCID`, () => {
            const checked = checkScenario(text);
            assert.ok(checked.ok);
            const on = { PTI: pti, PCID: pcid, INVPCID: invpcid, PGE: true };
            const features = new Set(Object.entries(on).flatMap(([name, is]) => (is ? [name] : [])));
            for (const run of runScenario(checked.scenario, {
              ...{ machine, boot, features, variants: [variant] },
              treeOf: one => variantTree('linux', one),
            })) {
              const n = run.parameters['n']!;
              assert.equal(run.verdict, 'safe');
              const found = Object.fromEntries(names.map(name => [name, run.counts[name] ?? 0]));
              assert.deepEqual(
                found,
                expected(n, { pti, pcid, invpcid }, variant === 'deferred'),
                `n = ${n}`,
              );
            }
          });
});
