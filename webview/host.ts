/** The page's end of the protocol: checked messages, requests with an answer or an error each. */
import { panelVersion, type PanelHostMessage, type PanelPageMessage } from '../src/protocol/panel';
import { idOf, isPanelHostMessage } from '../src/protocol/panelCheck';

interface VsCode {
  postMessage(message: PanelPageMessage): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCode;

type Answer = Extract<PanelHostMessage, { id: number | null }>;
type WithoutId<T> = T extends { readonly id: number } ? Omit<T, 'id'> : never;

export class Host {
  private readonly api = acquireVsCodeApi();
  private readonly waiting = new Map<number, { done(answer: Answer): void; failed(error: Error): void }>();
  private nextId = 1;

  /** `hear` is given what is no answer. */
  constructor(private readonly hear: (message: PanelHostMessage) => void) {
    window.addEventListener('message', event => this.receive(event.data));
  }

  ready(): void {
    this.api.postMessage({ type: 'ready', version: panelVersion });
  }

  tell(message: Extract<PanelPageMessage, { type: 'cancel' | 'view' }>): void {
    this.api.postMessage(message);
  }

  /** The answer, or an error with the host's reason. */
  ask(request: WithoutId<PanelPageMessage>): Promise<Answer> {
    const id = this.nextId++;
    return new Promise((done, failed) => {
      this.waiting.set(id, { done, failed });
      this.api.postMessage({ ...request, id });
    });
  }

  /** What the page itself keeps: place and zoom. */
  get kept(): unknown {
    return this.api.getState();
  }

  keep(state: unknown): void {
    this.api.setState(state);
  }

  private receive(message: unknown): void {
    if (!isPanelHostMessage(message)) {
      const id = idOf(message);
      if (id !== null) this.settle(id)?.failed(new Error('the answer has not the agreed form'));
      return;
    }
    const id = 'id' in message ? message.id : null;
    const waiting = id === null ? undefined : this.settle(id);
    if (message.type === 'failed') {
      if (waiting) waiting.failed(new Error(message.reason));
      else this.hear(message);
      return;
    }
    // A state is for everybody, also as an answer.
    if (!waiting || message.type === 'state') this.hear(message);
    if (waiting && 'id' in message) waiting.done(message);
  }

  private settle(id: number) {
    const found = this.waiting.get(id);
    this.waiting.delete(id);
    return found;
  }
}
