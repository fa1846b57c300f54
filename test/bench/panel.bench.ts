/** What a step of the state panel costs with many CPUs: processor time of a state in the worker, bytes to the page. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { cpuChanges } from '../../src/extension/panel/changes';
import type { MachineState, RunRequest, RunWorkerMessage } from '../../src/protocol/run';
import { Runs } from '../../src/worker/runs';
import type { Bench, BenchRow } from './bench';

const require = createRequire(join(process.cwd(), 'package.json'));
const assets: Readonly<Record<string, () => string>> = {
  'web-tree-sitter.wasm': () => join(require.resolve('web-tree-sitter'), '..', 'web-tree-sitter.wasm'),
  'tree-sitter-c.wasm': () => join(require.resolve('tree-sitter-c/package.json'), '..', 'tree-sitter-c.wasm'),
};
const load = (name: string): Promise<Uint8Array> =>
  Promise.resolve(new Uint8Array(readFileSync(assets[name]!())));
const calm = (): Promise<void> => Promise.resolve();

/** A shootdown by CPU 0 of 10 pages, with the pages in the TLBs of three other CPUs. */
const scenario = (cpus: number): string =>
  JSON.stringify({
    title: 'a shootdown among many CPUs',
    about: 'One CPU unmaps, three others are told by an IPI each.',
    kernel: 'linux',
    features: ['PTI', 'PCID', 'INVPCID', 'PGE'],
    cpus,
    variants: { base: [] },
    spaces: { a: { pages: 16 } },
    tasks: [
      { cpu: 0, warm: 10, steps: [{ barrier: { name: 'ready' } }, { madvise: { pages: 10 } }] },
      { cpus: [1, 3], warm: 10, steps: [{ barrier: { name: 'ready' } }, { user: {} }] },
    ],
  });

const request = (cpus: number): RunRequest => ({
  scenario: { kind: 'text', name: 'bench', text: scenario(cpus) },
  ...{ patch: null, tree: null, variants: ['base'], set: {}, machine: null, features: null },
  defaultMachine: 'broadwell-ep-e5-2660v4',
});

const steps = 60;

function stateOf(message: RunWorkerMessage): MachineState {
  if (message.type !== 'state') throw new Error(message.type);
  return message.state;
}

/** Milliseconds of a step, and the most bytes that one sends. */
async function stepping(cpus: number): Promise<{ milliseconds: number; bytes: number }> {
  const runs = new Runs(load);
  const opened = await runs.answer({ type: 'open', id: 1, request: request(cpus) }, calm);
  if (opened.type !== 'opened') throw new Error(opened.type);
  const { run, trace } = opened.opened;
  const first = trace.count >> 2;
  const seek = async (seq: number): Promise<MachineState> =>
    stateOf(await runs.answer({ type: 'seek', id: 2, run, seq }, calm));
  const pass = async (look: (state: MachineState) => void): Promise<void> => {
    for (let step = 0; step < steps; step++) look(await seek(first + step));
  };
  await pass(() => {});
  await seek(first);
  const from = process.cpuUsage();
  await pass(() => {});
  const { user, system } = process.cpuUsage(from);
  let known = await seek(first);
  let bytes = 0;
  await pass(state => {
    bytes = Math.max(bytes, JSON.stringify(cpuChanges(known, state)).length);
    known = state;
  });
  return { milliseconds: (user + system) / 1000 / steps, bytes };
}

export const benches: readonly Bench[] = [
  {
    name: 'a step of the state panel',
    async run(): Promise<readonly BenchRow[]> {
      const few = await stepping(32);
      const many = await stepping(256);
      return [
        {
          what: 'time of a step, 256 CPUs to 32',
          ...{ value: many.milliseconds / few.milliseconds, unit: '×', floor: 24, goal: 10 },
          lowerIsBetter: true,
        },
        {
          what: 'processor time of a step, 256 CPUs',
          ...{ value: many.milliseconds, unit: 'ms', goal: 10, lowerIsBetter: true },
        },
        {
          what: 'sent to the page a step, 256 CPUs',
          ...{ value: many.bytes, unit: 'B', floor: 4096, goal: 1024, lowerIsBetter: true },
        },
      ];
    },
  },
];
