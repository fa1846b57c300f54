import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { fit, pan, reveal, ticks, toTime, toX, zoom, type TimeScale } from '../../../webview/timeScale';

const bounds = { start: 100, end: 1100 };
const whole: TimeScale = { from: 100, to: 1100, left: 50, width: 500 };

const scales = fc
  .record({
    from: fc.integer({ min: 100, max: 1080 }),
    length: fc.integer({ min: 11, max: 1000 }),
    width: fc.integer({ min: 10, max: 2000 }),
  })
  .map(({ from, length, width }) => fit({ ...whole, width }, { start: from, end: from + length }));

const inside = ({ from, to }: TimeScale): void => {
  assert.ok(from >= bounds.start - 1e-6 && to <= bounds.end + 1e-6 && to > from, `${from} to ${to}`);
};

describe('the time scale of the panel', () => {
  it('places times at pixels', () => {
    assert.equal(toX(whole, 100), 50);
    assert.equal(toX(whole, 600), 300);
    assert.equal(toTime(whole, 550), 1100);
  });

  it('goes forth and back', () =>
    fc.assert(
      fc.property(scales, fc.double({ min: 0, max: 2000, noNaN: true }), (scale, x) => {
        assert.ok(Math.abs(toX(scale, toTime(scale, x)) - x) < 1e-6);
      }),
    ));

  it('keeps the time at the pointer where it is while zooming in', () => {
    const closer = zoom(whole, 0.5, 400, bounds);
    assert.equal(closer.to - closer.from, 500);
    assert.ok(Math.abs(toX(closer, 400) - toX(whole, 400)) < 1e-9);
  });

  it('never leaves the run, however it is zoomed and moved', () =>
    fc.assert(
      fc.property(
        fc.double({ min: 0.01, max: 100, noNaN: true }),
        fc.integer({ min: 100, max: 1100 }),
        fc.integer({ min: -5000, max: 5000 }),
        (factor, time, by) => {
          const zoomed = zoom(whole, factor, time, bounds);
          inside(zoomed);
          inside(pan(zoomed, by, bounds));
          inside(reveal(zoomed, time, bounds));
        },
      ),
    ));

  it('shows a time that was out of view, and leaves one that is in view', () => {
    const part = { ...whole, from: 100, to: 200 };
    assert.equal(reveal(part, 150, bounds), part);
    const moved = reveal(part, 900, bounds);
    assert.ok(moved.from < 900 && moved.to > 900);
    assert.equal(moved.to - moved.from, 100);
  });

  it('puts round times on the axis, not too close', () => {
    assert.deepEqual(ticks(whole, 80), [200, 400, 600, 800, 1000]);
    fc.assert(
      fc.property(scales, scale => {
        const shown = ticks(scale, 80);
        for (let at = 1; at < shown.length; at++)
          assert.ok(toX(scale, shown[at]!) - toX(scale, shown[at - 1]!) >= 80 - 1e-6);
        for (const time of shown) assert.ok(time >= scale.from && time <= scale.to);
      }),
    );
  });
});
