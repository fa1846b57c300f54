import { strict as assert } from 'node:assert';
import { readdirSync, readFileSync } from 'node:fs';
import type { CpuState } from '../../../src/protocol/run';
import { columnsFor, cpuColumns, pcidText } from '../../../webview/columns';
import { counted, hex, number, range, signed, signedRange } from '../../../webview/format';
import { laneList } from '../../../webview/lanes';

const sources = readdirSync('webview').map(name => ({ name, text: readFileSync(`webview/${name}`, 'utf8') }));

const cpu: CpuState = {
  ...{ cpu: 3, mode: 'kernel', function: 'tq_flush', waitsFor: '', mm: 'a', slot: 1, lazy: false },
  cr3: { root: '0x3000', pcid: 0x802, half: 'user' },
  slots: [{ slot: 1, mm: 'a', generation: 2, mmGeneration: 4, userFlush: true }],
  pendingUserFlush: { kind: 'range', start: '0x1000', end: '0x3000', strideShift: 12 },
  ...{ interruptsOn: false, nmiBlocked: false, pendingInterrupts: ['NMI'], requestsIn: 0, requestsOut: 2 },
  tlb: [{ tag: 0x802, global: false, entries: 7, stale: 2 }],
  ...{ pagingEntries: 1, cycles: 100, low: 90, high: 120, unpriced: 0, misses: 1 },
  operations: [{ name: 'INVLPG', count: 3, low: 270, high: 480 }],
};

const cell = (id: string, state = cpu): string => cpuColumns.find(one => one.id === id)!.cell(state).text;

describe('the page', () => {
  it('mentions the toolkit and its elements in one file only', () => {
    const mentioning = sources
      .filter(({ text }) => text.includes('webview-ui-toolkit'))
      .map(({ name }) => name);
    assert.deepEqual(mentioning, ['controls.ts']);
    const making = sources.filter(
      ({ name, text }) => name.endsWith('.ts') && /['"<]vscode-(?!high-contrast|reduce-motion)/.test(text),
    );
    assert.deepEqual(
      making.map(({ name }) => name),
      ['controls.ts'],
    );
  });

  it('makes no element of a text', () => {
    for (const { name, text } of sources)
      assert.ok(
        !/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function/.test(text),
        name,
      );
  });

  it('asks for nothing from elsewhere', () => {
    for (const { name, text } of sources)
      assert.ok(
        !/\bfetch\(|XMLHttpRequest|WebSocket|https?:(?!\/\/www\.w3\.org\/2000\/svg)/.test(text),
        name,
      );
  });

  it('has a colour, a label and a pattern for each lane', () => {
    assert.equal(new Set(laneList.map(({ colour }) => colour)).size, laneList.length);
    assert.equal(new Set(laneList.map(({ rank }) => rank)).size, laneList.length);
    for (const { colour } of laneList) assert.match(colour, /^--vscode-tlbscope-lane[A-Z]/);
  });
});

describe('the columns of the table of CPUs', () => {
  it('say what the state says', () => {
    assert.equal(cell('cr3'), '0x3000 · 2u');
    assert.equal(cell('mm'), 'a · 1');
    assert.equal(cell('generation'), '2 of 4 ▼2');
    assert.equal(cell('flush'), '0x1000–0x3000 by 4K');
    assert.equal(cell('irq'), 'OFF');
    assert.equal(cell('ipi'), 'pending: NMI; waits for 2');
    assert.equal(cell('tlb'), '⚠2 stale, 2u: 7');
    assert.equal(cell('cycles'), '90 to 120');
    assert.equal(cell('operations'), 'INVLPG 3');
  });

  it('never show a number for what is not known', () => {
    const unknown: CpuState = {
      ...{ ...cpu, mm: '', slot: null, lazy: null, slots: [], pendingUserFlush: { kind: 'unknown' } },
      ...{ unpriced: 1, operations: [] },
    };
    assert.equal(cell('mm', unknown), 'not known');
    assert.equal(cell('lazy', unknown), 'not known');
    assert.equal(cell('flush', unknown), 'not known');
    assert.equal(cell('cycles', unknown), 'at least 90');
    const open = { ...cpu, slots: [{ ...cpu.slots[0]!, generation: null }] };
    assert.equal(cell('generation', open), 'not known');
  });

  it('are fewer in a narrow panel, and the number of the CPU always stays', () => {
    const ids = (width: number, hidden: string[] = []): string[] =>
      columnsFor(width, hidden).map(({ id }) => id);
    assert.deepEqual(ids(300), ['cpu', 'mode', 'tlb', 'cycles']);
    assert.equal(ids(1400).length, cpuColumns.length);
    assert.deepEqual(ids(300, ['cpu', 'tlb']), ['cpu', 'mode', 'cycles']);
  });

  it('call the user half of a PCID u', () => {
    assert.deepEqual([1, 0x801].map(pcidText), ['1', '1u']);
  });
});

describe('numbers in words', () => {
  it('are grouped, signed and ranged', () => {
    assert.deepEqual(
      [number(28_131.6), signed(5), signed(-1200), signed(0)],
      ['28,132', '+5', '−1,200', '0'],
    );
    assert.deepEqual([range(90, 160), range(4, 4.2)], ['90 to 160', '4']);
    assert.equal(signedRange(-3000, -2280), '−3,000 to −2,280');
    assert.deepEqual([hex(0x1000, 0x7f00), hex(15, 0)], ['0x7f0000001000', '0xf']);
    assert.deepEqual(
      [counted(1, 'entry', 'entries'), counted(2, 'entry', 'entries')],
      ['1 entry', '2 entries'],
    );
  });
});
