import { strict as assert } from 'node:assert';
import { conditionOf, conditions } from '../../../webview/conditions';
import { aboutEvent, eventSentence, placeText } from '../../../webview/events';
import { segmentStarts } from '../../../webview/timelinePicture';
import { last, TraceIndex } from '../../../webview/traceIndex';
import { segmentsOf, shootdown } from './samples';

const index = new TraceIndex(shootdown, 100);

describe('the index of a trace', () => {
  it('knows the latest clock up to each event, which never falls', () => {
    assert.deepEqual([...index.clock], [100, 400, 520, 520, 520, 570, 600, 620]);
    assert.deepEqual([index.start, index.end], [100, 620]);
  });

  it('finds the event by which no CPU had passed a time', () => {
    assert.equal(index.seqAt(99), -1);
    assert.equal(index.seqAt(450), 1);
    assert.equal(index.seqAt(520), 4);
    assert.equal(index.seqAt(10_000), 7);
  });

  it('tells where each clock stands', () => {
    assert.deepEqual(index.clocksAt(-1), [null, null]);
    assert.deepEqual(index.clocksAt(2), [520, null]);
    assert.deepEqual(index.clocksAt(5), [520, 570]);
  });

  it('draws an IPI from where it is sent to where it is taken', () => {
    assert.deepEqual(index.arrows, [{ from: 0, sent: 400, to: 1, taken: 450 }]);
    assert.deepEqual(index.stale, [6]);
  });

  it('lists events by their level of detail', () => {
    assert.deepEqual([...index.rows(0)], [1, 2, 3, 5, 6, 7]);
    assert.deepEqual([...index.rows(1)], [0, 1, 2, 3, 5, 6, 7]);
    assert.equal(index.rows(2).length, 8);
    assert.equal(index.rowOf(0, 4), 2);
    assert.equal(index.rowOf(0, 0), -1);
  });

  it('steps over what is listed, of all CPUs or of one', () => {
    assert.equal(index.step(-1, 1, 0), 1);
    assert.equal(index.step(3, 1, 0), 5);
    assert.equal(index.step(7, 1, 0), 7);
    assert.equal(index.step(1, -1, 0), -1);
    // Between two listed events, back is the one before.
    assert.equal(index.step(4, -1, 0), 3);
    assert.equal(index.step(2, 1, 0, 0), 7);
    assert.equal(index.step(7, -1, 0, 1), 6);
    assert.equal(index.step(3, -1, 0, 1), 3);
  });

  it('jumps to what is looked for', () => {
    assert.equal(index.next(-1, conditionOf('stale').wanted), 6);
    assert.equal(index.next(-1, conditionOf('ipi').wanted), 1);
    assert.equal(index.next(2, conditionOf('flush').wanted), 5);
    assert.equal(index.next(-1, conditionOf('wholeFlush').wanted), 5);
    assert.equal(index.next(-1, conditionOf('patch').wanted), 2);
    assert.equal(index.next(-1, conditionOf('none').wanted), null);
    assert.equal(index.previous(6, conditionOf('flush').wanted), 5);
    assert.equal(index.previous(0, conditionOf('flush').wanted), null);
  });

  it('has one condition for each id, and takes the first for an unknown one', () => {
    assert.equal(new Set(conditions.map(({ id }) => id)).size, conditions.length);
    assert.equal(conditionOf('no such'), conditions[0]);
  });
});

describe('an event in words', () => {
  it('says what, where and when', () => {
    assert.equal(aboutEvent(shootdown, 2), 'INVLPG 0x7000');
    assert.equal(placeText(shootdown, 2), 'tq.c:3');
    assert.equal(eventSentence(shootdown, 2), 'CPU 0, cycle 520: flush INVLPG 0x7000, in tq_flush');
    assert.equal(eventSentence(shootdown, -1), 'the start of the run');
  });
});

describe('segments', () => {
  it('are found by CPU, also where a CPU has none', () => {
    const segments = segmentsOf([
      { cpu: 0, lane: 'user', start: 0, end: 5 },
      { cpu: 0, lane: 'kernel', start: 5, end: 9 },
      { cpu: 2, lane: 'user', start: 0, end: 9 },
    ]);
    assert.deepEqual([...segmentStarts(segments, 4)], [0, 2, 2, 3, 3]);
    assert.deepEqual([...segmentStarts(segmentsOf([]), 2)], [0, 0, 0]);
  });

  it('are looked up by bisection', () => {
    const values = Float64Array.of(1, 3, 3, 7);
    assert.deepEqual(
      [0, 1, 2, 3, 6, 7, 9].map(value => last(values, value)),
      [-1, 0, 0, 2, 2, 3, 3],
    );
  });
});
