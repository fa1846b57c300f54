/** Runs of scenarios in the worker: whole sweeps, and runs that stay open to be looked at. */
import { loadCParser, type WasmLoader } from '../code/lowerC';
import type { KernelTree, World, WorldOptions } from '../kernel/world';
import { priceOf } from '../machine/price';
import type { MachineProfile } from '../machine/profile';
import type { RunHostMessage, RunReport, RunRequest, RunWorkerMessage } from '../protocol/run';
import type { HostMessage } from '../protocol/workerMessages';
import { combinations } from '../scenario/ranges';
import { mostInstructions, prepareRun, type PreparedRun, type RunResult } from '../scenario/run';
import { History } from '../vm/history';
import { Trace } from '../vm/trace';
import { firstRun, inWords, setUp, treeFile, type RunSetup } from './runSetup';
import { Trees } from './runTrees';
import { entryStates, machineState } from './runState';
import { beginnings, columnsOf } from './runTrace';

/** What a run is asked for that is answered. */
export type RunJob = Exclude<RunHostMessage, { type: 'close' }>;

/** Tells how far a job is, and lets messages in; throws if the job was cancelled. */
export type Breathe = (done: number, total: number) => Promise<void>;

const jobTypes: readonly string[] = ['run', 'open', 'seek', 'entries', 'treeFile'];

export const isRunJob = (message: HostMessage): message is RunJob => jobTypes.includes(message.type);

/** Instructions between looks at the clock; a breath is taken after so many milliseconds. */
const slice = 20_000;
/** Instructions that are run one by one in search of the next event. */
const nearInstructions = 512;
const sliceMilliseconds = 25;
/** Events of an open run that are kept: 24 bytes here, 27 in the page. */
const mostOpenEvents = 400_000;
/** Bytes of one open run's snapshots. */
const historyBytes = 48 * 1024 * 1024;
/** So many runs are kept open; the one that was opened first goes. */
const mostOpen = 4;

interface KeptRun {
  readonly world: World;
  readonly history: History;
  readonly cpus: number;
  readonly spaces: readonly string[];
}

/** Count × price of each operation, with its range. */
function byOperation(
  machine: MachineProfile,
  counts: Readonly<Record<string, number>>,
): RunReport['byOperation'] {
  return Object.fromEntries(
    Object.entries(counts).map(([name, count]) => {
      const price = priceOf(machine, name);
      if ('unknown' in price) return [name, null];
      return [name, { cycles: price.cycles * count, low: price.low * count, high: price.high * count }];
    }),
  );
}

function reportOf(result: RunResult, world: World, cpus: number, machine: MachineProfile): RunReport {
  const { cycles, ...rest } = result;
  const { total, low, high } = cycles;
  const priced = { cycles: 0, low: 0, high: 0 };
  for (let cpu = 0; cpu < cpus; cpu++) {
    const figures = world.figures(cpu);
    priced.cycles += figures.cycles;
    priced.low += figures.low;
    priced.high += figures.high;
  }
  const exact = { total, low, high, priced: result.complete ? priced : null };
  return { ...rest, ...exact, byOperation: byOperation(machine, result.counts) };
}

export class Runs {
  private readonly kept = new Map<number, KeptRun>();
  private nextRun = 1;
  private readonly trees = new Trees();

  constructor(
    private readonly loadAsset: WasmLoader,
    /** The kernel tree at an address of the host's, with what a patch changes there. Throws why there is none. */
    private readonly treeAt: (
      address: string,
      patch: string | null,
      breathe: () => Promise<void>,
    ) => Promise<KernelTree> = () => Promise.reject(new Error('there is no kernel tree here')),
  ) {}

  async answer(job: RunJob, breathe: Breathe): Promise<RunWorkerMessage> {
    const { id } = job;
    switch (job.type) {
      case 'run':
        return this.run(id, job.request, breathe);
      case 'open':
        return this.open(id, job.request, breathe);
      case 'treeFile': {
        const { request, variant, path } = job.file;
        const tree = await this.given(request, () => breathe(0, 1));
        return { type: 'treeFile', id, text: inWords(request, () => treeFile(request, variant, path, tree)) };
      }
      case 'seek':
      case 'entries': {
        const kept = this.kept.get(job.run);
        if (!kept) return { type: 'gone', id, run: job.run };
        this.goTo(kept, job.seq);
        const { world, cpus, spaces } = kept;
        if (job.type === 'entries')
          return { type: 'entries', id, entries: entryStates(world, Math.min(job.cpu, cpus - 1)) };
        return { type: 'state', id, state: machineState(world, job.seq, cpus, spaces) };
      }
    }
  }

  close(run: number): void {
    this.kept.delete(run);
  }

  private async given(
    { treeAddress, patch }: RunRequest,
    breathe: () => Promise<void>,
  ): Promise<KernelTree | null> {
    return typeof treeAddress === 'string' ? this.treeAt(treeAddress, patch, breathe) : null;
  }

  private goTo({ history, world }: KeptRun, seq: number): void {
    if (seq < 0) return history.goToStep(0);
    const { trace } = world.vm;
    if (trace && trace.position <= seq) {
      // Stepping on: the next event is rarely far.
      for (let left = nearInstructions; left > 0 && trace.position <= seq; left--)
        if (history.run(1) === 0) return;
      if (trace.position > seq) return;
    }
    history.goToEvent(seq);
  }

  private async run(id: number, request: RunRequest, breathe: Breathe): Promise<RunWorkerMessage> {
    await loadCParser(this.loadAsset);
    const setup = setUp(request, await this.given(request, () => breathe(0, 1)));
    const { scenario, machine } = setup;
    const variants = scenario.variants.filter(
      ({ name }) => request.variants.length === 0 || request.variants.includes(name),
    );
    if (variants.length === 0) firstRun(setup, request.variants);
    const every = [...combinations(scenario.parameters)];
    const total = variants.length * every.length;
    const runs: RunReport[] = [];
    for (const variant of variants) {
      const tree = inWords(request, () => this.trees.get(request, setup, variant));
      for (const parameters of every) {
        await breathe(runs.length, total);
        const prepared = this.prepare(request, setup, variant.name, tree, parameters, null);
        await this.finish(
          prepared.world,
          steps => prepared.world.run(steps),
          () => breathe(runs.length, total),
        );
        runs.push(reportOf(prepared.finish(), prepared.world, scenario.cpus, machine));
      }
    }
    const { title, about, kernel, cpus, parameters } = scenario;
    return {
      ...{ type: 'ran', id },
      report: {
        ...{ title, about, kernel, cpus, parameters, runs },
        compares: request.patch === null ? 'variants' : 'patch',
        variants: variants.map(({ name }) => name),
      },
    };
  }

  private async open(id: number, request: RunRequest, breathe: Breathe): Promise<RunWorkerMessage> {
    await loadCParser(this.loadAsset);
    const setup = setUp(request, await this.given(request, () => breathe(0, 1)));
    const { scenario, machine } = setup;
    const { cpus, title } = scenario;
    const { variant, parameters } = firstRun(setup, request.variants);
    const tree = inWords(request, () => this.trees.get(request, setup, variant));
    await breathe(0, 1);
    const trace = new Trace(mostOpenEvents);
    const prepared = this.prepare(request, setup, variant.name, tree, parameters, trace);
    const { world } = prepared;
    const begun = beginnings(world, cpus);
    const history = new History(world.vm, { bytes: historyBytes });
    await this.finish(
      world,
      steps => history.run(steps),
      () => breathe(0, 1),
    );
    const report = reportOf(prepared.finish(), world, cpus, machine);
    const columns = columnsOf(
      world,
      trace,
      begun,
      inWords(request, () => setup.linesOf(variant.name)),
    );
    const run = this.nextRun++;
    this.kept.set(run, { world, history, cpus, spaces: scenario.spaces.map(({ name }) => name) });
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= mostOpen) break;
      this.kept.delete(oldest);
    }
    return { type: 'opened', id, opened: { run, title, cpus, report, ...columns } };
  }

  private prepare(
    request: RunRequest,
    setup: RunSetup,
    variant: string,
    tree: ReadonlyMap<string, string>,
    parameters: ReadonlyMap<string, number>,
    trace: Trace | null,
  ): PreparedRun {
    const { scenario, machine, features, treeOf, touched } = setup;
    const boot = (options: WorldOptions): World => this.trees.boot({ ...options, trace });
    return inWords(request, () =>
      prepareRun(scenario, variant, tree, parameters, { machine, features, treeOf, boot, touched }),
    );
  }

  /** Runs a world to its end, or to the limit, in slices. */
  private async finish(
    world: World,
    run: (steps: number) => number,
    breathe: () => Promise<void>,
  ): Promise<void> {
    let sliceEnd = performance.now() + sliceMilliseconds;
    while (world.vm.steps < mostInstructions) {
      if (run(slice) < slice) return;
      if (performance.now() < sliceEnd) continue;
      await breathe();
      sliceEnd = performance.now() + sliceMilliseconds;
    }
  }
}
