/** The lanes of the timeline: a new one is its kind in `src/protocol/run.ts`, one entry here, and its colour in package.json. */
import { laneKinds, type LaneKind } from '../src/protocol/run';

export interface Lane {
  readonly kind: LaneKind;
  readonly label: string;
  /** Colour of the theme that is contributed for it. */
  readonly colour: string;
  /** Which one is seen where several share a pixel: the highest. */
  readonly rank: number;
  /** A pattern besides the colour, so that lanes can be told apart without it. */
  readonly pattern: 'plain' | 'stripes' | 'dots' | 'hollow';
  /** Height as a share of the CPU's row. */
  readonly height: number;
}

const lanes: Readonly<Record<LaneKind, Omit<Lane, 'kind'>>> = {
  user: { label: 'user code', colour: '--vscode-tlbscope-lane-user', rank: 1, pattern: 'plain', height: 0.5 },
  kernel: {
    label: 'kernel',
    colour: '--vscode-tlbscope-lane-kernel',
    rank: 2,
    pattern: 'plain',
    height: 0.7,
  },
  flush: { label: 'flush', colour: '--vscode-tlbscope-lane-flush', rank: 8, pattern: 'stripes', height: 1 },
  'ipi-send': {
    label: 'IPI sent',
    colour: '--vscode-tlbscope-lane-ipi',
    rank: 7,
    pattern: 'plain',
    height: 1,
  },
  'ipi-wait': {
    ...{ label: 'waits for IPIs', colour: '--vscode-tlbscope-lane-ipiWait', rank: 4, pattern: 'hollow' },
    height: 0.7,
  },
  'ipi-handler': {
    ...{ label: 'IPI handler', colour: '--vscode-tlbscope-lane-ipiHandler', rank: 3, pattern: 'plain' },
    height: 0.7,
  },
  refill: {
    label: 'page walk',
    colour: '--vscode-tlbscope-lane-refill',
    rank: 6,
    pattern: 'dots',
    height: 1,
  },
  interrupt: {
    ...{ label: 'other interrupt', colour: '--vscode-tlbscope-lane-interrupt', rank: 5, pattern: 'plain' },
    height: 0.7,
  },
  idle: { label: 'idle', colour: '--vscode-tlbscope-lane-idle', rank: 0, pattern: 'hollow', height: 0.2 },
};

/** By the numbers of the trace's columns. */
export const laneList: readonly Lane[] = laneKinds.map(kind => ({ kind, ...lanes[kind] }));
