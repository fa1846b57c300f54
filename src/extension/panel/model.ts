/** The state of the panel. It lives here, not in a page: pages come and go, and are given all of it when they come. */
import {
  initialView,
  panelVersion,
  type LibraryEntry,
  type PanelChoice,
  type PanelProgress,
  type PanelSnapshot,
  type PanelSweep,
  type PanelView,
  type PublishedPoint,
} from '../../protocol/panel';
import type { EntryState, MachineState, RunRequest, ScenarioReport } from '../../protocol/run';
import { publishedPoints } from '../../scenario/publishedPoints';
import type { OpenRun, Runs } from '../runs';
import { Cancelled } from '../workerClient';
import { operationChanges } from './changes';
import { choiceFor, sameTime } from './choice';
import type { PanelSource, PanelSubject } from './subject';
import { sweepOf } from './sweep';

export type Side = 0 | 1;

/** What has changed. */
export type PanelChange =
  | { readonly what: 'all' | 'progress' | 'problem' | 'library' | 'view' }
  /** The cursor of a side; `state` is new. */
  | { readonly what: 'state'; readonly side: Side };

export interface ShownRun {
  readonly run: OpenRun;
  state: MachineState;
}

/** What is needed to show the same again in another session. */
export interface PanelMemory {
  readonly id: string;
  readonly patch: string | null;
  readonly choice: PanelChoice;
  readonly view: PanelView;
  readonly seq: number;
  readonly sweep: string | null;
}

export interface ShowOptions {
  readonly choice?: Partial<PanelChoice>;
  readonly sweep?: string | null;
  readonly view?: Partial<PanelView>;
  /** Event at which the cursor of the run in focus stands; others go to the same time. */
  readonly seq?: number;
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export class PanelModel {
  subject: PanelSubject | null = null;
  choice: PanelChoice | null = null;
  shown: readonly ShownRun[] = [];
  view: PanelView = initialView;
  private sweep: PanelSweep | null = null;
  private progress: PanelProgress | null = null;
  private problem = '';
  private library: readonly LibraryEntry[] = [];
  private work: AbortController | null = null;
  private readonly listeners: ((change: PanelChange) => void)[] = [];

  constructor(
    private readonly runs: Runs,
    private readonly source: PanelSource,
    private readonly log: (line: string) => void,
  ) {}

  listen(listener: (change: PanelChange) => void): void {
    this.listeners.push(listener);
  }

  get memory(): PanelMemory | null {
    const { subject, choice, view, sweep } = this;
    if (!subject || !choice) return null;
    const seq = this.shown[this.focus]?.state.seq ?? -1;
    return { id: subject.id, patch: subject.patch, choice, view, seq, sweep: sweep?.parameter ?? null };
  }

  get focus(): Side {
    return this.view.side === 1 && this.shown.length > 1 ? 1 : 0;
  }

  get snapshot(): PanelSnapshot {
    const { subject, choice, shown } = this;
    const [before, after] = shown.map(({ run }) => run.opened.report);
    return {
      type: 'snapshot',
      version: panelVersion,
      library: this.library,
      scenario: subject && {
        ...{ id: subject.id, title: subject.title, about: subject.about, origin: subject.origin },
        ...{ kernel: subject.kernel, compares: subject.compares },
        ...{ variants: subject.variants, parameters: subject.parameters },
        machine: before?.machine ?? subject.request.machine ?? subject.request.defaultMachine,
        features: before?.features ?? subject.request.features ?? [],
      },
      choice,
      sides: shown.map(({ run: { opened }, state }) => ({
        ...{ report: opened.report, trace: opened.trace, segments: opened.segments, state },
      })),
      changes: before && after ? operationChanges(before, after) : [],
      sweep: this.sweep,
      progress: this.progress,
      problem: this.problem,
      view: this.view,
    };
  }

  async loadLibrary(): Promise<void> {
    try {
      this.library = await this.source.list();
      this.tell({ what: 'library' });
    } catch (error) {
      this.fail(error);
    }
  }

  /** Runs a scenario of the library, for the document at hand. */
  async openById(id: string): Promise<void> {
    const subject = await this.source.subject(id);
    if (!subject) throw new Error('This scenario is no longer there.');
    await this.show(subject, {});
  }

  /** What was shown in another session. */
  async restore({ id, patch, choice, view, seq, sweep }: PanelMemory): Promise<void> {
    const subject = await this.source.subject(id, patch);
    // Something else may have been opened meanwhile.
    if (!subject || this.subject) return;
    await this.show(subject, { choice, view, seq, sweep });
  }

  /** Runs it and shows it. Does not throw: what went wrong stands in the panel. */
  async show(subject: PanelSubject, { choice, sweep = null, view, seq }: ShowOptions): Promise<void> {
    if (this.subject?.id !== subject.id) this.sweep = null;
    this.subject = subject;
    this.choice = choiceFor(subject, choice ?? {}, this.source.usual());
    if (view) this.view = { ...this.view, ...view };
    await this.perform(async signal => {
      await this.openRuns(signal);
      if (seq !== undefined && seq >= 0) await this.seekBoth(seq, signal);
      if (sweep !== null) await this.runSweep(sweep, signal);
    });
  }

  async choose(choice: PanelChoice): Promise<void> {
    const { subject } = this;
    if (!subject) return;
    this.choice = choiceFor(subject, choice, this.source.usual());
    await this.perform(signal => this.openRuns(signal));
  }

  async startSweep(parameter: string): Promise<void> {
    if (!this.subject?.parameters.some(({ name }) => name === parameter))
      throw new Error(`There is no parameter ${parameter}.`);
    await this.perform(signal => this.runSweep(parameter, signal));
  }

  /** Stops what is running; what was shown stays. */
  cancel(): void {
    this.work?.abort();
  }

  async seek(side: Side, seq: number): Promise<MachineState> {
    const shown = this.shown[side];
    if (!shown) throw new Error('Nothing is shown.');
    const at = Math.min(Math.max(seq, -1), shown.run.opened.trace.count - 1);
    const state = await shown.run.seek(at, new AbortController().signal);
    if (this.shown[side] === shown) {
      shown.state = state;
      this.tell({ what: 'state', side });
    }
    return state;
  }

  async entries(side: Side, cpu: number): Promise<{ seq: number; entries: readonly EntryState[] }> {
    const shown = this.shown[side];
    if (!shown) throw new Error('Nothing is shown.');
    const { seq } = shown.state;
    return { seq, entries: await shown.run.entries(seq, cpu, new AbortController().signal) };
  }

  setView(view: PanelView): void {
    this.view = view;
    this.tell({ what: 'view' });
  }

  dispose(): void {
    this.cancel();
    for (const { run } of this.shown) run.close();
  }

  /** Does one thing at a time: a new one stops the one before. */
  private async perform(task: (signal: AbortSignal) => Promise<void>): Promise<void> {
    this.work?.abort();
    const work = new AbortController();
    this.work = work;
    this.problem = '';
    try {
      await task(work.signal);
    } catch (error) {
      if (this.work === work && !(error instanceof Cancelled)) this.problem = reasonOf(error);
    }
    if (this.work !== work) return;
    this.work = null;
    this.progress = null;
    this.tell({ what: 'all' });
  }

  private requestFor(variant: string, choice: PanelChoice): RunRequest {
    return { ...this.subject!.request, variants: [variant], set: choice.parameters };
  }

  private async openRuns(signal: AbortSignal): Promise<void> {
    const choice = this.choice!;
    const names = choice.after === null ? [choice.before] : [choice.before, choice.after];
    const opened: ShownRun[] = [];
    try {
      for (const name of names) {
        this.tellProgress(`Running ${name}`, 0, 1);
        const run = await this.runs.open(this.requestFor(name, choice), signal, (done, total) =>
          this.tellProgress(`Running ${name}`, done, total),
        );
        opened.push({ run, state: await run.seek(-1, signal) });
      }
      if (signal.aborted) throw new Cancelled();
    } catch (error) {
      for (const { run } of opened) run.close();
      throw error;
    }
    for (const { run } of this.shown) run.close();
    this.shown = opened;
    const cpus = opened[0]!.run.opened.cpus;
    if (this.view.cpu >= cpus) this.view = { ...this.view, cpu: 0 };
  }

  /** The run in focus goes to an event, the other one to the same place in time. */
  private async seekBoth(seq: number, signal: AbortSignal): Promise<void> {
    for (const [at, one] of this.shown.entries()) {
      const { count } = one.run.opened.trace;
      const place =
        at === this.focus
          ? seq
          : sameTime(
              this.shown.map(({ run }) => run.opened.trace),
              this.focus,
              seq,
            );
      one.state = await one.run.seek(Math.min(place, count - 1), signal);
    }
  }

  private async runSweep(parameter: string, signal: AbortSignal): Promise<void> {
    const { subject, choice } = this;
    if (!subject || !choice) return;
    const set = Object.fromEntries(Object.entries(choice.parameters).filter(([name]) => name !== parameter));
    this.tellProgress('Running all values', 0, 1);
    const report = await this.runs.run({ ...subject.request, variants: [], set }, signal, (done, total) =>
      this.tellProgress('Running all values', done, total),
    );
    this.sweep = sweepOf(report, parameter, this.published(parameter, report));
  }

  /** Measurements are of a kernel as it was, not of one with somebody's patch. */
  private published(parameter: string, { runs }: ScenarioReport): PublishedPoint[] {
    const { scenario, patch } = this.subject!.request;
    if (scenario.kind !== 'builtin' || patch !== null) return [];
    return publishedPoints(scenario.name, parameter, runs[0]?.machine ?? '');
  }

  private tellProgress(label: string, done: number, total: number): void {
    this.progress = { label, done, total };
    this.tell({ what: 'progress' });
  }

  get running(): PanelProgress | null {
    return this.progress;
  }

  get lastProblem(): string {
    return this.problem;
  }

  get known(): readonly LibraryEntry[] {
    return this.library;
  }

  private fail(error: unknown): void {
    if (error instanceof Cancelled) return;
    this.problem = reasonOf(error);
    this.log(this.problem);
    this.tell({ what: 'problem' });
  }

  private tell(change: PanelChange): void {
    for (const listener of this.listeners) listener(change);
  }
}
