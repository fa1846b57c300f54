/** Stores through the hardware's store buffers (TSO): only a load may pass an older store. */
import assert from 'node:assert/strict';
import { loadParser } from '../code/c/support';
import { lowered, machineFor } from './support';

const text = (fence: string): string => `
unsigned long tq_x, tq_y, tq_r0, tq_r1;
void tq_left(void) { WRITE_ONCE(tq_x, 1); ${fence} tq_r0 = READ_ONCE(tq_y); }
void tq_right(void) { WRITE_ONCE(tq_y, 1); ${fence} tq_r1 = READ_ONCE(tq_x); }
unsigned long tq_own(void) { tq_x = 7; return tq_x; }
`;

describe('store buffers under the VM', () => {
  before(loadParser);

  /** The results of both CPUs over many seeds. */
  function outcomes(fence: string, buffered: boolean): Set<string> {
    const module = lowered(text(fence));
    const seen = new Set<string>();
    for (let seed = 1; seed <= 200; seed++) {
      const vm = machineFor([module], {
        ...{ cpus: 2, seed, quantum: 2, hardware: { storeBuffer: buffered ? 8 : 0 }, storeBuffers: buffered },
        tasks: [[{ function: 'tq_left' }], [{ function: 'tq_right' }]],
      });
      vm.run(10_000);
      assert.equal(vm.ending.verdict, 'finished');
      seen.add(`${vm.read(['tq_r0'])} ${vm.read(['tq_r1'])}`);
    }
    return seen;
  }

  it('let both CPUs miss the other’s store', () => {
    assert.ok(outcomes('', true).has('0 0'));
  });

  it('do not behind a full fence', () => {
    assert.ok(!outcomes('smp_mb();', true).has('0 0'));
  });

  it('without them every store is visible at once', () => {
    assert.ok(!outcomes('', false).has('0 0'));
  });

  it('forward a CPU its own stores', () => {
    const vm = machineFor([lowered(text(''))], {
      ...{ hardware: { storeBuffer: 8 }, storeBuffers: true, tasks: [[{ function: 'tq_own' }]] },
    });
    vm.run(1000);
    assert.equal(vm.result(0), 7n);
  });
});
