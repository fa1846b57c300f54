/** The host's end of the worker: requests with an answer or an error each, progress, and cancelling. */
import type { DocumentReport } from '../protocol/report';
import type { TreeHostMessage, TreeWorkerMessage } from '../protocol/tree';
import {
  assetNames,
  isWorkerMessage,
  type AnalysisOptions,
  type AssetName,
  type HostMessage,
  type WorkerMessage,
} from '../protocol/workerMessages';

/** A running worker, of Node or of the browser. */
export interface WorkerPort {
  post(message: HostMessage): void;
  onMessage(listener: (message: unknown) => void): void;
  /** It crashed, or ran out of memory. */
  onFailure(listener: (reason: string) => void): void;
  terminate(): void;
}

export type StartWorker = () => Promise<WorkerPort>;

/** Thrown by a request that was aborted. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

/** What is answered: by a message with the same `id`. */
export type Request = Exclude<HostMessage, { type: 'cancel' | 'asset' | 'close' | 'tree' | 'useMachines' }>;
type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;

interface Job {
  readonly request: Request;
  readonly resolve: (answer: WorkerMessage) => void;
  readonly reject: (error: Error) => void;
  readonly hear: Hear;
}

/** What is told of a reading while it goes on. */
export interface Hear {
  progress(done: number, total: number): void;
  /** The report by name, before that of the code. */
  first(report: DocumentReport): void;
}

const noFiles = ({ request, wanted }: TreeWorkerMessage): Promise<TreeHostMessage> =>
  Promise.resolve({ type: 'tree', request, files: wanted.map(() => null), listed: [] });

const deaf: Hear = { progress: () => undefined, first: () => undefined };

/**
 * Time that a busy worker has to notice that it was cancelled before it is ended, and what it has read with it. It looks
 * every 25 ms but for single steps, which are longer on a busy machine.
 */
const graceMilliseconds = 500;
/** A worker that has had nothing to do for so long gives its memory back; starting one takes some 50 ms. */
const idleMilliseconds = 300_000;

export class WorkerClient {
  private readonly jobs = new Map<number, Job>();
  private port: Promise<WorkerPort> | undefined;
  private idle: ReturnType<typeof setTimeout> | undefined;
  private nextId = 1;
  private greeting: HostMessage | undefined;

  constructor(
    private readonly start: StartWorker,
    /** Gives the worker a file of the extension. */
    private readonly loadAsset: (name: AssetName) => Promise<Uint8Array>,
    /** Told about messages that are refused: a bug of ours, or not our worker. */
    private readonly log: (line: string) => void,
    /** Gives the worker files of a kernel tree. */
    private readonly tree: (asked: TreeWorkerMessage) => Promise<TreeHostMessage> = noFiles,
  ) {}

  /** The last report of a text; `hear.first` may have been given one by name before. */
  async analyse(
    text: string,
    options: AnalysisOptions,
    signal: AbortSignal,
    hear: Hear = deaf,
  ): Promise<DocumentReport> {
    const answer = await this.request({ type: 'analyse', id: this.nextId++, text, options }, signal, hear);
    if (answer.type !== 'report') throw new Error(`the worker answered ${answer.type}`);
    return answer.report;
  }

  /** Text of the decoded part `index`, or null if there is none. */
  async decode(text: string, index: number, signal: AbortSignal): Promise<string | null> {
    const answer = await this.request({ type: 'decode', id: this.nextId++, text, index }, signal, deaf);
    if (answer.type !== 'decoded') throw new Error(`the worker answered ${answer.type}`);
    return answer.text;
  }

  /** Any other request, and its answer. Throws {@link Cancelled}, or an error with the worker's reason. */
  ask(request: WithoutId<Request>, signal: AbortSignal, hear: Partial<Hear> = {}): Promise<WorkerMessage> {
    return this.request({ ...request, id: this.nextId++ }, signal, { ...deaf, ...hear });
  }

  /** A message without an answer, to a worker that is there. */
  tell(message: Extract<HostMessage, { type: 'close' }>): void {
    void this.port?.then(
      port => port.post(message),
      () => undefined,
    );
  }

  /** A message without an answer, to the worker that is there and to every one that is started later. */
  greet(message: Extract<HostMessage, { type: 'useMachines' }>): void {
    this.greeting = message;
    void this.port?.then(
      port => port.post(message),
      () => undefined,
    );
  }

  dispose(): void {
    this.stop();
    for (const job of this.jobs.values()) job.reject(new Cancelled());
    this.jobs.clear();
  }

  private request(request: Request, signal: AbortSignal, hear: Hear): Promise<WorkerMessage> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(new Cancelled());
      const { id } = request;
      const abort = (): void => this.cancel(id);
      const settle = (): void => {
        signal.removeEventListener('abort', abort);
        this.jobs.delete(id);
        this.rest();
      };
      this.jobs.set(id, {
        request,
        hear,
        resolve: answer => (settle(), resolve(answer)),
        reject: error => (settle(), reject(error)),
      });
      signal.addEventListener('abort', abort);
      clearTimeout(this.idle);
      this.post(request);
    });
  }

  private cancel(id: number): void {
    const job = this.jobs.get(id);
    if (!job) return;
    job.reject(new Cancelled());
    const port = this.port;
    if (!port) return;
    void port.then(
      running => {
        running.post({ type: 'cancel', id });
        this.awaited.set(
          id,
          // It is inside one long step: end it, and give what else it had to do to a new one.
          setTimeout(
            () => this.awaited.delete(id) && this.port === port && this.restart(),
            graceMilliseconds,
          ),
        );
      },
      () => undefined,
    );
  }

  /** Cancelled requests whose end the worker has not confirmed yet. */
  private readonly awaited = new Map<number, ReturnType<typeof setTimeout>>();

  private restart(): void {
    this.stop();
    for (const { request } of this.jobs.values()) this.post(request);
  }

  private stop(): void {
    clearTimeout(this.idle);
    for (const timer of this.awaited.values()) clearTimeout(timer);
    this.awaited.clear();
    void this.port?.then(
      port => port.terminate(),
      () => undefined,
    );
    this.port = undefined;
  }

  private rest(): void {
    clearTimeout(this.idle);
    if (!this.jobs.size) this.idle = setTimeout(() => this.jobs.size || this.stop(), idleMilliseconds);
  }

  private post(request: Request): void {
    const starting = (this.port ??= this.open());
    starting.then(
      port => this.port === starting && this.jobs.has(request.id) && port.post(request),
      (error: unknown) => {
        if (this.port === starting) this.port = undefined;
        this.jobs.get(request.id)?.reject(new Error(`the worker does not start: ${String(error)}`));
      },
    );
  }

  private async open(): Promise<WorkerPort> {
    const port = await this.start();
    if (this.greeting) port.post(this.greeting);
    port.onMessage(message => this.receive(message, port));
    port.onFailure(reason => {
      this.stop();
      for (const job of [...this.jobs.values()]) job.reject(new Error(`the worker ended: ${reason}`));
    });
    return port;
  }

  private receive(message: unknown, port: WorkerPort): void {
    if (!isWorkerMessage(message)) {
      this.log('A message of the worker was refused: it has not the agreed form.');
      return;
    }
    if (message.type === 'asset') return void this.sendAsset(message.name, port);
    if (message.type === 'tree') return void this.sendFiles(message, port);
    if (message.id !== null) {
      // Any sign of life is enough: it is between two steps and will see that it was cancelled.
      clearTimeout(this.awaited.get(message.id));
      this.awaited.delete(message.id);
    }
    const job = message.id === null ? undefined : this.jobs.get(message.id);
    if (message.type === 'failed') {
      this.log(`The worker says: ${message.reason}`);
      job?.reject(new Error(message.reason));
    } else if (message.type === 'progress') job?.hear.progress(message.done, message.total);
    else if (message.type === 'report' && !message.final) job?.hear.first(message.report);
    else if (message.type === 'cancelled') job?.reject(new Cancelled());
    else job?.resolve(message);
  }

  private async sendFiles(asked: TreeWorkerMessage, port: WorkerPort): Promise<void> {
    try {
      port.post(await this.tree(asked));
    } catch (error) {
      this.log(`Files of the kernel tree cannot be read: ${String(error)}`);
      port.post(await noFiles(asked));
    }
  }

  private async sendAsset(name: AssetName, port: WorkerPort): Promise<void> {
    if (!assetNames.includes(name)) return;
    try {
      port.post({ type: 'asset', name, bytes: await this.loadAsset(name) });
    } catch (error) {
      this.log(`${name} cannot be read: ${String(error)}`);
      port.post({ type: 'asset', name, bytes: null });
    }
  }
}
