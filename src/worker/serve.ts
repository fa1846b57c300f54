/** What the worker does with messages, the same in Node and in the browser: jobs in slices, progress, cancelling. */
import {
  isHostMessage,
  type AssetName,
  type HostMessage,
  type WorkerMessage,
} from '../protocol/workerMessages';
import { loadCParser } from '../code/lowerC';
import { setUserMachines } from '../machine/registry';
import { checkMachineFile } from '../scenario/machineFile/check';
import type { DocumentReport } from '../protocol/report';
import type { TreeHostMessage, TreeWorkerMessage } from '../protocol/tree';
import { decodedText } from './decode';
import { Documents } from './documents';
import { NamedReports } from './namedReports';
import { withPrices } from './priced';
import { reproducing, tableNames } from './reproduce';
import { isRunJob, Runs } from './runs';
import { attaching, describing } from './scenarios';
import { settingOf } from './setting';

/** A slice ends after so long, to see whether a message has come. */
const sliceMilliseconds = 25;

type Analyse = Extract<HostMessage, { type: 'analyse' }>;

const pause = (): Promise<void> => new Promise(done => setTimeout(done, 0));

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Thrown inside a job that was cancelled. */
class Stopped extends Error {
  override readonly name = 'Stopped';
}

class Server {
  private readonly cancelled = new Set<number>();
  private readonly running = new Set<number>();
  private readonly waiting = new Map<string, (bytes: Uint8Array | null) => void>();
  private readonly treeAnswers = new Map<number, (answer: TreeHostMessage) => void>();
  private nextTree = 1;
  private readonly documents = new Documents(
    name => this.asset(name as AssetName),
    (tree, wanted, folders) => this.askTree(tree, wanted, folders),
  );
  private readonly named = new NamedReports();
  private readonly runs = new Runs(
    name => this.asset(name as AssetName),
    (address, patch, breathe) => this.documents.runTree(address, patch, breathe),
  );

  constructor(private readonly post: (message: WorkerMessage) => void) {}

  receive(message: unknown): void {
    if (!isHostMessage(message))
      this.post({ type: 'failed', id: null, reason: 'a malformed message was refused' });
    else if (message.type === 'asset') {
      this.waiting.get(message.name)?.(message.bytes);
      this.waiting.delete(message.name);
    } else if (message.type === 'tree') {
      this.treeAnswers.get(message.request)?.(message);
      this.treeAnswers.delete(message.request);
    } else if (message.type === 'close') this.runs.close(message.run);
    else if (message.type === 'useMachines') setUserMachines(message.machines);
    else if (message.type !== 'cancel') void this.answer(message);
    else if (this.running.has(message.id)) this.cancelled.add(message.id);
    else this.post({ type: 'cancelled', id: message.id });
  }

  /** Asks the host for a file of the extension. */
  private asset(name: AssetName): Promise<Uint8Array> {
    return new Promise((done, failed) => {
      this.waiting.set(name, bytes => {
        if (bytes) done(bytes);
        else failed(new Error(`${name} cannot be read`));
      });
      this.post({ type: 'asset', id: null, name });
    });
  }

  /** Asks the host for files of a kernel tree. */
  private askTree(
    tree: string,
    wanted: TreeWorkerMessage['wanted'],
    folders: TreeWorkerMessage['folders'],
  ): Promise<TreeHostMessage> {
    const request = this.nextTree++;
    return new Promise(done => {
      this.treeAnswers.set(request, done);
      this.post({ type: 'tree', id: null, request, tree, wanted, folders });
    });
  }

  private async answer(
    message: Exclude<HostMessage, { type: 'cancel' | 'asset' | 'close' | 'tree' | 'useMachines' }>,
  ): Promise<void> {
    const { id } = message;
    this.running.add(id);
    try {
      if (message.type === 'analyse') await this.analyse(message);
      else if (isRunJob(message))
        this.post(
          await this.runs.answer(message, async (done, total) => {
            this.post({ type: 'progress', id, done, total });
            await this.breathe(id);
          }),
        );
      else if (message.type === 'describe')
        this.post({ type: 'described', id, scenarios: await this.inSlices(id, describing(message)) });
      else if (message.type === 'attach') {
        const document = message.patch ? this.documents.read(message.text, null) : null;
        const tree =
          message.tree !== null && document
            ? await this.documents.treeFiles(message.tree, document, this.breathing(id))
            : null;
        const attachment = await this.inSlices(id, attaching(message, document, tree));
        this.post({ type: 'attached', id, attachment });
      } else if (message.type === 'readMachines') {
        const files = message.files.map(({ key, text }) => ({ key, ...checkMachineFile(text) }));
        this.post({ type: 'machinesRead', id, files });
      } else if (message.type === 'tables') this.post({ type: 'tables', id, tables: tableNames() });
      else if (message.type === 'reproduce') {
        await loadCParser(name => this.asset(name as AssetName));
        const total = message.tables.length || tableNames().length;
        const steps = reproducing(message.tables);
        const pages = await this.inSlices(id, steps, done =>
          this.post({ type: 'progress', id, done, total }),
        );
        this.post({ type: 'reproduced', id, pages });
      } else this.post({ type: 'decoded', id, text: decodedText(message.text, message.index) });
    } catch (error) {
      if (error instanceof Stopped) this.post({ type: 'cancelled', id });
      else this.post({ type: 'failed', id, reason: reasonOf(error) });
    } finally {
      this.running.delete(id);
      this.cancelled.delete(id);
    }
  }

  /** The report by name first, unless the code has been read already; then, if there is any, that of the code. */
  private async analyse(message: Analyse): Promise<void> {
    const { id, text, options } = message;
    const setting = settingOf(options);
    const patch = this.documents.read(text, options.firstInvalidLine);
    const ready = this.documents.isPriced(text, setting);
    const named = await this.byName(message, patch);
    const final = !named.annotations.some(({ quoted }) => !quoted);
    if (!ready || final) {
      this.post({ type: 'report', id, report: final ? { ...named, byNameOnly: '' } : named, final });
      // The host shows it before the long part begins.
      await this.breathe(id);
    }
    if (final) return;
    let report: DocumentReport;
    try {
      const pricer = await this.documents.pricer(text, setting, this.breathing(id));
      const priced = await this.inSlices(id, pricer.pricing({ ...setting, nGiven: true }));
      report = withPrices(named, patch, priced, setting);
    } catch (error) {
      if (error instanceof Stopped) throw error;
      report = { ...named, byNameOnly: `The code could not be read: ${reasonOf(error)}.` };
    }
    this.post({ type: 'report', id, report, final: true });
  }

  private async byName(
    { id, options }: Analyse,
    patch: ReturnType<Documents['read']>,
  ): Promise<DocumentReport> {
    return this.inSlices(id, this.named.of(patch, options), progress =>
      this.post({ type: 'progress', id, ...progress }),
    );
  }

  /** Takes the steps of a job, and lets messages in between slices. */
  private async inSlices<Step, Result>(
    id: number,
    steps: Generator<Step, Result, void>,
    tell: (step: Step) => void = () => undefined,
  ): Promise<Result> {
    let sliceEnd = performance.now() + sliceMilliseconds;
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
      if (performance.now() < sliceEnd) continue;
      tell(step.value);
      await this.breathe(id);
      sliceEnd = performance.now() + sliceMilliseconds;
    }
  }

  /** For work that cannot be taken in steps from outside: breathes where a slice is over. */
  private breathing(id: number): () => Promise<void> | undefined {
    let sliceEnd = performance.now() + sliceMilliseconds;
    return () => {
      if (performance.now() < sliceEnd) return undefined;
      return this.breathe(id).then(() => {
        sliceEnd = performance.now() + sliceMilliseconds;
      });
    };
  }

  /** Lets messages in; stops the job if one of them said so. */
  private async breathe(id: number): Promise<void> {
    await pause();
    if (this.cancelled.has(id)) throw new Stopped();
  }
}

/** Returns the function to call with every message received; `post` sends one back. */
export function serve(post: (message: WorkerMessage) => void): (message: unknown) => void {
  const server = new Server(post);
  return message => server.receive(message);
}
