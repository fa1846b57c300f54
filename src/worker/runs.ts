/** Runs of scenarios in the worker: whole sweeps, and runs that stay open to be looked at. */
import type { WasmLoader } from '../code/lowerC';
import type { RunHostMessage, RunWorkerMessage } from '../protocol/run';
import type { HostMessage } from '../protocol/workerMessages';

/** What a run is asked for that is answered. */
export type RunJob = Exclude<RunHostMessage, { type: 'close' }>;

/** Tells how far a job is, and lets messages in; throws if the job was cancelled. */
export type Breathe = (done: number, total: number) => Promise<void>;

const jobTypes: readonly string[] = ['run', 'open', 'seek', 'entries', 'treeFile'];

export const isRunJob = (message: HostMessage): message is RunJob => jobTypes.includes(message.type);

export class Runs {
  constructor(private readonly loadAsset: WasmLoader) {}

  answer(job: RunJob, breathe: Breathe): Promise<RunWorkerMessage> {
    this.loadAsset;
    breathe;
    return Promise.reject(new Error(`${job.type} is not answered yet`));
  }

  close(run: number): void {
    run;
  }
}
