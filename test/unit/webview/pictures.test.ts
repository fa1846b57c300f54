import { strict as assert } from 'node:assert';
import { svgText, SvgSurface } from '../../../webview/surface';
import { crossoverText, roundUp } from '../../../webview/sweepPicture';
import { readable, type Theme } from '../../../webview/theme';
import {
  cpuAt,
  drawTimeline,
  gutterWidth,
  laneTop,
  nameMarks,
  rowsHeight,
  segmentStarts,
} from '../../../webview/timelinePicture';
import { TraceIndex } from '../../../webview/traceIndex';
import { segmentsOf, shootdown } from './samples';

const theme: Theme = {
  ...{ background: '#ffffff', foreground: '#000000', faint: '#555555', grid: '#dddddd', cursor: '#0000ff' },
  ...{ selection: '#eeeeee', border: null, family: 'sans-serif', fontSize: 13, stale: '#cc0000' },
  ...{ ipi: '#cc8800', before: '#0000aa', after: '#aa5500', colour: () => '#336699' },
};

describe('pictures of the panel', () => {
  it('carry text as text', () => {
    assert.equal(svgText('<script>&"\'\u0000'), '&lt;script&gt;&amp;&quot;&#39;?');
    const surface = new SvgSurface(10, 10, 'a"b', '#fff', '<b>');
    surface.text('</text><script>alert(1)</script>', 1, 2, { colour: '#000', size: 10 });
    const text = surface.toString();
    assert.ok(!text.includes('<script'));
    assert.ok(text.includes('<title>&lt;b&gt;</title>'));
  });

  it('draw every CPU, the IPI and the stale use', () => {
    const segments = segmentsOf([
      { cpu: 0, lane: 'kernel', start: 100, end: 400 },
      { cpu: 0, lane: 'flush', start: 400, end: 520 },
      { cpu: 1, lane: 'user', start: 100, end: 450 },
      { cpu: 1, lane: 'ipi-handler', start: 450, end: 600 },
    ]);
    const rows = { lane: 20, runs: 1, cpus: 2, scroll: 0 };
    const surface = new SvgSurface(500, 100, 'sans-serif', '#fff', 'a shootdown');
    const run = { index: new TraceIndex(shootdown, 100), segments, firstOf: segmentStarts(segments, 2) };
    const scale = { from: 100, to: 620, left: 60, width: 430 };
    drawTimeline({
      ...{ surface, theme, scale, rows, runs: [run], names: ['base'], selected: 0, width: 500, height: 100 },
    });
    const text = surface.toString();
    for (const part of ['CPU 0', 'CPU 1', 'kernel', 'tq_flush', 'stroke-dasharray', 'url(#stripes)', '>!<'])
      assert.ok(text.includes(part), part);
    assert.ok(text.startsWith('<svg xmlns="http://www.w3.org/2000/svg" width="500" height="100"'));
  });

  it('have numbers of CPUs and names of runs side by side in the margin', () => {
    for (const cpus of [1, 8, 96, 256])
      for (const narrow of [false, true]) {
        const names = ['before', 'after'];
        // A letter is about 0.6 of the size of the text; texts are 4 pixels from the edges of the margin.
        const number = (narrow ? String(cpus - 1) : `CPU ${cpus - 1}`).length * 12 * 0.6;
        const name = (narrow ? 1 : names[0]!.length) * 10 * 0.6;
        assert.ok(gutterWidth(cpus, names, narrow) >= 4 + number + name + 4, `${cpus} ${narrow}`);
      }
    assert.ok(gutterWidth(8, ['before', 'after'], true) < 50);
    assert.deepEqual(nameMarks(['before', 'after']), ['b', 'a']);
    assert.deepEqual(nameMarks(['base', 'batched']), ['1', '2']);
  });

  it('draw at most a box for each pixel, however many segments there are', () => {
    const many = segmentsOf(
      Array.from({ length: 50_000 }, (_, at) => ({
        ...{ cpu: 0, lane: at % 2 ? ('flush' as const) : ('kernel' as const), start: at, end: at + 1 },
      })),
    );
    const surface = new SvgSurface(500, 60, 'sans-serif', '#fff', 'many');
    const run = { index: new TraceIndex(shootdown, 0), segments: many, firstOf: segmentStarts(many, 1) };
    const rows = { lane: 20, runs: 1, cpus: 1, scroll: 0 };
    const scale = { from: 0, to: 50_000, left: 60, width: 430 };
    drawTimeline({
      ...{ surface, theme, scale, rows, runs: [run], names: [], selected: 0, width: 500, height: 60 },
    });
    assert.ok(surface.toString().split('<rect').length < 450);
  });

  it('know which CPU lies at a height', () => {
    const rows = { lane: 10, runs: 2, cpus: 3, scroll: 0 };
    assert.equal(cpuAt(rows, 5), null, 'the axis');
    for (let cpu = 0; cpu < 3; cpu++) {
      assert.equal(cpuAt(rows, laneTop(rows, cpu, 0)), cpu);
      assert.equal(cpuAt(rows, laneTop(rows, cpu, 1)), cpu);
    }
    assert.equal(cpuAt(rows, 20 + rowsHeight(rows) + 1), null);
    assert.equal(cpuAt({ ...rows, scroll: 26 }, 21), 1);
  });

  it('round axes up', () => {
    assert.deepEqual([0, 1, 7, 101, 46_818].map(roundUp), [1, 1, 8, 150, 50_000]);
  });

  it('say where lines cross', () => {
    const one = { from: 6, to: 7, cheaper: 'low', than: 'base', until: 33, uncertain: false };
    assert.equal(crossoverText(one, 'n'), 'low is cheaper than base from n = 7 to 33.');
    assert.equal(crossoverText({ ...one, until: 7 }, 'n'), 'low is cheaper than base from n = 7 only.');
    assert.equal(
      crossoverText({ ...one, from: 1, until: null }, 'n'),
      'low is cheaper than base from somewhere between n = 1 and 7 on.',
    );
    assert.match(crossoverText({ ...one, uncertain: true }, 'n'), /may lie elsewhere/);
  });

  it('write on colours in black or white', () => {
    assert.equal(readable('#ffff00'), '#000000');
    assert.equal(readable('#000080'), '#ffffff');
    assert.equal(readable('rgb(20, 20, 20)'), '#ffffff');
    assert.equal(readable('#fff'), '#000000');
  });
});
