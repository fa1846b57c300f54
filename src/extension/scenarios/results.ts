/** Last results of scenarios, each for the patch it was run with or by itself. */
import * as vscode from 'vscode';
import type { RunRequest, ScenarioReport } from '../../protocol/run';
import { findMachine } from '../../machine/registry';
import type { Basis } from '../present/scenarios';
import type { Runs } from '../runs';
import type { Settings } from '../settings';
import { Cancelled } from '../workerClient';
import type { LibraryScenario } from './library';
import { planRun, sameRequest, type PlannedRun, type Subject } from './request';

/** What is known of a scenario for a document. */
export interface ScenarioResult {
  readonly basis: Basis;
  /** The last one that came to its end; null if none did. */
  readonly report: ScenarioReport | null;
  /** Why the last attempt gave no report; ''. */
  readonly failure: string;
  /** Runs that are done while it goes on; null if nothing is running. */
  readonly running: { readonly done: number; readonly total: number } | null;
  /** The scenario, the patch or the machine has changed since. */
  readonly stale: boolean;
}

interface Kept {
  request: RunRequest;
  /** The machine's profile, which a file of the workspace may have changed. */
  machine: string;
  basis: Basis;
  report: ScenarioReport | null;
  failure: string;
  running: { done: number; total: number } | null;
  abort: AbortController | undefined;
}

/** So many results are kept; those that were made longest ago go first. */
const mostResults = 200;

const keyOf = ({ scenario }: Subject, patch: vscode.Uri | null): string =>
  `${scenario.key}\n${patch?.toString() ?? ''}`;

export class ScenarioResults implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  private readonly kept = new Map<string, Kept>();
  /** How often everything was stopped: what runs several in a row looks at it. */
  stops = 0;

  constructor(
    private readonly runs: Pick<Runs, 'run'>,
    private readonly settings: Settings,
  ) {}

  /** What would be run now. */
  plan(subject: Subject): PlannedRun {
    return planRun(subject, this.settings);
  }

  /** undefined: it was never run like this. */
  of(subject: Subject): ScenarioResult | undefined {
    const plan = this.plan(subject);
    const kept = this.kept.get(keyOf(subject, plan.patch));
    if (!kept) return undefined;
    const { basis, report, failure, running } = kept;
    const same = sameRequest(kept.request, plan.request) && kept.machine === this.machineText(plan.request);
    return { basis, report, failure, running, stale: !same };
  }

  /** Whether the scenario has been run, by itself or with any patch. */
  hasRun({ key }: LibraryScenario): boolean {
    return [...this.kept.keys()].some(one => one.startsWith(`${key}\n`));
  }

  /** Whether any scenario has been run with that patch. */
  hasRunWith(patch: vscode.Uri): boolean {
    const ending = `\n${patch.toString()}`;
    return [...this.kept.keys()].some(one => one.endsWith(ending));
  }

  /** Runs it; a run of the same that is still under way is stopped. Throws `Cancelled`, or why it cannot be run. */
  async run(
    subject: Subject,
    signal: AbortSignal,
    progress?: (done: number, total: number) => void,
  ): Promise<ScenarioReport> {
    const { request, basis, patch } = this.plan(subject);
    const machine = this.machineText(request);
    const key = keyOf(subject, patch);
    const before = this.kept.get(key);
    before?.abort?.abort();
    const abort = new AbortController();
    const stop = (): void => abort.abort();
    if (signal.aborted) throw new Cancelled();
    signal.addEventListener('abort', stop);
    const kept: Kept = {
      request: before?.report ? before.request : request,
      machine: before?.report ? before.machine : machine,
      basis: before?.report ? before.basis : basis,
      ...{ report: before?.report ?? null, failure: '', running: { done: 0, total: 0 }, abort },
    };
    this.keep(key, kept);
    this.tellMenus();
    try {
      const report = await this.runs.run(request, abort.signal, (done, total) => {
        kept.running = { done, total };
        progress?.(done, total);
        this.changed.fire();
      });
      Object.assign(kept, { request, machine, basis, report });
      return report;
    } catch (error) {
      // One that was stopped leaves what was known before.
      if (!(error instanceof Cancelled))
        Object.assign(kept, { request, machine, basis, report: null, failure: reasonOf(error) });
      else if (!kept.report && this.kept.get(key) === kept) this.kept.delete(key);
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
      kept.running = null;
      kept.abort = undefined;
      this.changed.fire();
      this.tellMenus();
    }
  }

  /** Another machine or other features: what is known may be out of date. */
  settingsChanged(): void {
    this.changed.fire();
  }

  /** Stops everything that is running. */
  stop(): void {
    this.stops++;
    for (const { abort } of this.kept.values()) abort?.abort();
  }

  dispose(): void {
    for (const { abort } of this.kept.values()) abort?.abort();
    this.changed.dispose();
  }

  /** The profile of the chosen machine; one that the scenario names itself is built in or is read with it. */
  private machineText({ machine, defaultMachine }: RunRequest): string {
    return JSON.stringify(findMachine(machine ?? defaultMachine));
  }

  private tellMenus(): void {
    const running = [...this.kept.values()].some(one => one.running !== null);
    void vscode.commands.executeCommand('setContext', 'tlbscope.running', running);
  }

  private keep(key: string, kept: Kept): void {
    this.kept.delete(key);
    this.kept.set(key, kept);
    for (const [oldest, { running }] of this.kept) {
      if (this.kept.size <= mostResults) break;
      if (!running) this.kept.delete(oldest);
    }
    this.changed.fire();
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
