/** Annotations and a machine made by hand, for tests of the texts. */
import type { Figure } from '../../../src/machine/profile';
import type { ShownMachine } from '../../../src/extension/present/machine';
import type { HunkAnnotation, LineAnnotation } from '../../../src/protocol/report';

const figure = (cycles: number, low: number, high: number): Figure => ({
  ...{ cycles, low, high },
  kind: 'measured',
  source: ['PAPER'],
  note: 'One note.',
  converted: null,
  holdout: false,
});

/** INVLPG 100 (90–120), INVPCID_ADDR 250 (200–300), ISB without a figure, nothing else. */
export const machine: ShownMachine = {
  id: 'test',
  name: 'Test machine',
  shortName: 'Test',
  features: ['PTI'],
  figure: operation => {
    if (operation === 'INVLPG') return figure(100, 90, 120);
    if (operation === 'INVPCID_ADDR') return figure(250, 200, 300);
    if (operation === 'ISB')
      return { ...figure(0, 0, 0), cycles: null, low: null, high: null, source: [], note: 'nobody knows' };
    return null;
  },
  source: id => `${id} by Somebody`,
};

export const lineOf = (parts: Partial<LineAnnotation>): LineAnnotation => ({
  line: 7,
  side: 'new',
  operations: { INVLPG: '1' },
  operationsOther: null,
  noCycles: '',
  weak: true,
  causes: [],
  unknown: [],
  ...parts,
});

export const hunkOf = (parts: Partial<HunkAnnotation>): HunkAnnotation => ({
  path: 'arch/x86/mm/tq.c',
  line: 5,
  endLine: 12,
  heading: 'static void tq_flush(void)',
  quoted: false,
  delta: { INVLPG: '1' },
  deltaOther: null,
  noCycles: '',
  weak: true,
  lines: [],
  unknown: [],
  gates: [],
  derivation: [],
  ...parts,
});
