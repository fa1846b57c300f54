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
  user: { label: 'user code', colour: '--vscode-tlbscope-laneUser', rank: 1, pattern: 'plain', height: 0.5 },
  kernel: {
    label: 'kernel',
    colour: '--vscode-tlbscope-laneKernel',
    rank: 2,
    pattern: 'plain',
    height: 0.7,
  },
  flush: { label: 'flush', colour: '--vscode-tlbscope-laneFlush', rank: 8, pattern: 'stripes', height: 1 },
  'ipi-send': {
    label: 'IPI sent',
    colour: '--vscode-tlbscope-laneIpi',
    rank: 7,
    pattern: 'plain',
    height: 1,
  },
  'ipi-wait': {
    ...{ label: 'waits for IPIs', colour: '--vscode-tlbscope-laneIpiWait', rank: 4, pattern: 'hollow' },
    height: 0.7,
  },
  'ipi-handler': {
    ...{ label: 'IPI handler', colour: '--vscode-tlbscope-laneIpiHandler', rank: 3, pattern: 'plain' },
    height: 0.7,
  },
  refill: {
    label: 'page walk',
    colour: '--vscode-tlbscope-laneRefill',
    rank: 6,
    pattern: 'dots',
    height: 1,
  },
  interrupt: {
    ...{ label: 'other interrupt', colour: '--vscode-tlbscope-laneInterrupt', rank: 5, pattern: 'plain' },
    height: 0.7,
  },
  idle: { label: 'idle', colour: '--vscode-tlbscope-laneIdle', rank: 0, pattern: 'hollow', height: 0.2 },
};

/** By the numbers of the trace's columns. */
export const laneList: readonly Lane[] = laneKinds.map(kind => ({ kind, ...lanes[kind] }));
