/**
 * Runs of scenarios for commands, the tree, the Test Explorer and the panel. They happen in a worker of their own, so that
 * neither typing nor hints wait for them; that worker can be ended at any time, and a run that was open in it is made
 * again when it is next looked at.
 */
import type {
  EntryState,
  MachineState,
  OpenedRun,
  RunRequest,
  ScenarioReport,
  TreeFile,
} from '../protocol/run';
import type { WorkerMessage } from '../protocol/workerMessages';
import type { WorkerClient } from './workerClient';

export type Progress = (done: number, total: number) => void;

/** A run that can be looked at, event by event. */
export interface OpenRun {
  readonly request: RunRequest;
  readonly opened: OpenedRun;
  /** The state after event `seq`; −1: at the start. */
  seek(seq: number, signal: AbortSignal): Promise<MachineState>;
  /** What a CPU's TLBs hold then. */
  entries(seq: number, cpu: number, signal: AbortSignal): Promise<readonly EntryState[]>;
  close(): void;
}

const unexpected = ({ type }: WorkerMessage): Error => new Error(`the worker answered ${type}`);

export class Runs {
  constructor(private readonly worker: WorkerClient) {}

  /** Runs a scenario: all variants and values of parameters that the request leaves. Throws `Cancelled`, or why not. */
  async run(request: RunRequest, signal: AbortSignal, progress?: Progress): Promise<ScenarioReport> {
    const answer = await this.worker.ask({ type: 'run', request }, signal, progress && { progress });
    if (answer.type !== 'ran') throw unexpected(answer);
    return answer.report;
  }

  /** Makes one run and keeps it open: the first variant of the request, the first value of each parameter. */
  async open(request: RunRequest, signal: AbortSignal, progress?: Progress): Promise<OpenRun> {
    return new KeptRun(this.worker, request, await openRun(this.worker, request, signal, progress));
  }

  /** Text of a file of a kernel tree as a variant has it; null if there is none. */
  async treeFile(file: TreeFile, signal: AbortSignal): Promise<string | null> {
    const answer = await this.worker.ask({ type: 'treeFile', file }, signal);
    if (answer.type !== 'treeFile') throw unexpected(answer);
    return answer.text;
  }
}

async function openRun(
  worker: WorkerClient,
  request: RunRequest,
  signal: AbortSignal,
  progress?: Progress,
): Promise<OpenedRun> {
  const answer = await worker.ask({ type: 'open', request }, signal, progress && { progress });
  if (answer.type !== 'opened') throw unexpected(answer);
  return answer.opened;
}

class KeptRun implements OpenRun {
  private number: number;
  private reopening: Promise<number> | undefined;

  constructor(
    private readonly worker: WorkerClient,
    readonly request: RunRequest,
    readonly opened: OpenedRun,
  ) {
    this.number = opened.run;
  }

  async seek(seq: number, signal: AbortSignal): Promise<MachineState> {
    const answer = await this.ask(run => this.worker.ask({ type: 'seek', run, seq }, signal));
    if (answer.type !== 'state') throw unexpected(answer);
    return answer.state;
  }

  async entries(seq: number, cpu: number, signal: AbortSignal): Promise<readonly EntryState[]> {
    const answer = await this.ask(run => this.worker.ask({ type: 'entries', run, seq, cpu }, signal));
    if (answer.type !== 'entries') throw unexpected(answer);
    return answer.entries;
  }

  close(): void {
    this.worker.tell({ type: 'close', run: this.number });
  }

  /** Asks; where the worker no longer has the run, makes it again and asks once more. */
  private async ask(question: (run: number) => Promise<WorkerMessage>): Promise<WorkerMessage> {
    const answer = await question(this.number);
    if (answer.type !== 'gone') return answer;
    this.reopening ??= openRun(this.worker, this.request, new AbortController().signal).then(
      ({ run }) => run,
    );
    try {
      this.number = await this.reopening;
    } finally {
      this.reopening = undefined;
    }
    return question(this.number);
  }
}
