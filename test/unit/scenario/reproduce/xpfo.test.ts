/** What XPFO costs for a page, by hand from the profile's figures. */
import assert from 'node:assert/strict';
import { Lab, machine } from '../../../../src/scenario/reproduce/lab';
import { xpfoPageCycles } from '../../../../src/scenario/reproduce/tables/xpfoPages';
import { loadParser } from '../../code/c/support';

describe('XPFO: cycles of a page of user space', function () {
  this.timeout(60_000);
  before(loadParser);
  const lab = new Lab();
  const i5 = machine('ivy-bridge-i5-3550');
  const cost = (cpus: number, ...patches: string[]): number =>
    xpfoPageCycles(lab, { machine: i5, features: ['PGE'], cpus, patches })[0];

  it('two flushes, each a send and a handler with an INVLPG for each further CPU', () => {
    const [send, handler, invlpg] = [300, 900, 233];
    assert.equal(Math.round(cost(4) - cost(2)), 2 * 2 * (send + handler + invlpg));
  });

  it('the first other CPU is waited for: the way there and the answer', () => {
    const [send, delivery, handler, invlpg, answer] = [300, 400 * 3.3, 900, 233, 21 * 3.3];
    const waiting = send + delivery + handler + invlpg + answer;
    // The local flush lies behind the wait.
    const expected = 2 * (waiting - invlpg + handler + invlpg);
    assert.ok(Math.abs(cost(2) - cost(2, 'xpfo-local-flush') - expected) < 1);
  });

  it('without interrupts other CPUs cost nothing', () => {
    const patches = ['xpfo-local-flush'];
    assert.equal(cost(2, ...patches), cost(8, ...patches));
    // Two INVLPGs, and the walk after them: without a flush the translation is still there.
    assert.equal(cost(2, 'xpfo-omit-flush') + 2 * 233 + 45, cost(2, ...patches));
  });
});
