/** One page that shows the panel: what it is sent, and what it asks for. Knows nothing of VS Code. */
import { panelVersion, type PanelHostMessage, type PanelPageMessage } from '../../protocol/panel';
import { idOf, isPanelPageMessage } from '../../protocol/panelCheck';
import type { MachineState } from '../../protocol/run';
import { cpuChanges, spacesDiffer } from './changes';
import type { PanelChange, PanelModel, Side } from './model';

/** What a page wants done outside of the panel. Each returns what is said about it, '' for nothing. */
export interface PageActions {
  reveal(side: Side, seq: number): Promise<string>;
  exportTrace(format: 'json' | 'csv'): Promise<string>;
  savePicture(format: 'svg' | 'png', bytes: Uint8Array): Promise<string>;
  copyText(): Promise<string>;
  command(name: string): Promise<string>;
}

type Request = Extract<PanelPageMessage, { id: number }>;

export class PanelPage {
  /** State of each side as the page knows it. */
  private readonly sent: (MachineState | undefined)[] = [undefined, undefined];
  private ready = false;
  /** Seeks of each side that are under way: their answers bring the state. */
  private readonly seeking: [number, number] = [0, 0];

  constructor(
    private readonly model: PanelModel,
    private readonly actions: PageActions,
    private readonly post: (message: PanelHostMessage) => void,
    private readonly log: (line: string) => void,
  ) {}

  /** Something of the model has changed. */
  changed(change: PanelChange): void {
    if (!this.ready) return;
    const { model } = this;
    switch (change.what) {
      case 'all':
        return this.sendAll();
      case 'state':
        if (this.seeking[change.side] === 0) this.sendState(change.side, null);
        return;
      case 'progress':
        return this.post({ type: 'progress', progress: model.running });
      case 'problem':
        return this.post({ type: 'problem', problem: model.lastProblem });
      case 'library':
        return this.post({ type: 'library', library: model.known });
      case 'view':
        return;
    }
  }

  /** The page is not there any more: until it says that it is ready, nothing is sent. */
  hidden(): void {
    this.ready = false;
  }

  act(action: Extract<PanelHostMessage, { type: 'act' }>['action']): void {
    if (this.ready) this.post({ type: 'act', action });
  }

  receive(message: unknown): void {
    if (!isPanelPageMessage(message)) {
      this.log('A message of the panel was refused: it has not the agreed form.');
      this.post({ type: 'failed', id: idOf(message), reason: 'a malformed message was refused' });
      return;
    }
    if (message.type === 'ready') {
      if (message.version !== panelVersion) {
        this.post({ type: 'failed', id: null, reason: 'The page is of another version: reload the window.' });
        return;
      }
      this.ready = true;
      this.sendAll();
      void this.model.loadLibrary();
    } else if (message.type === 'cancel') this.model.cancel();
    else if (message.type === 'view') this.model.setView(message.view);
    else void this.answer(message);
  }

  private async answer(message: Request): Promise<void> {
    const { id } = message;
    try {
      const said = await this.perform(message);
      if (said !== null) this.post({ type: 'done', id, said });
    } catch (error) {
      this.post({ type: 'failed', id, reason: error instanceof Error ? error.message : String(error) });
    }
  }

  /** What is said about it; null: the answer has been sent. */
  private async perform(message: Request): Promise<string | null> {
    const { model, actions } = this;
    switch (message.type) {
      case 'seek': {
        const { side, seq } = message;
        this.seeking[side]++;
        try {
          await model.seek(side, seq);
        } finally {
          this.seeking[side]--;
        }
        this.sendState(side, message.id);
        return null;
      }
      case 'entries': {
        const { id, side, cpu } = message;
        this.post({ type: 'entries', id, side, cpu, ...(await model.entries(side, cpu)) });
        return null;
      }
      case 'openScenario':
        await model.openById(message.scenario);
        return '';
      case 'choose':
        await model.choose(message.choice);
        return '';
      case 'sweep':
        await model.startSweep(message.parameter);
        return '';
      case 'reveal':
        return actions.reveal(message.side, message.seq);
      case 'export':
        return actions.exportTrace(message.format);
      case 'picture':
        return actions.savePicture(message.format, message.bytes);
      case 'copyText':
        return actions.copyText();
      case 'command':
        return actions.command(message.command);
    }
  }

  private sendAll(): void {
    this.post(this.model.snapshot);
    this.sent.fill(undefined);
    this.model.shown.forEach(({ state }, side) => (this.sent[side] = state));
  }

  /** Only what the page does not know yet; as an answer to `id` even if that is nothing. */
  private sendState(side: Side, id: number | null): void {
    const state = this.model.shown[side]?.state;
    const known = this.sent[side];
    if (!state || !known) {
      // It is shown no more; the page has had, or gets, a snapshot.
      if (id !== null) this.post({ type: 'done', id, said: '' });
      return;
    }
    if (id === null && known === state) return;
    this.sent[side] = state;
    const cpus = cpuChanges(known, state);
    this.post({
      ...{ type: 'state', id, side, seq: state.seq, cpus },
      spaces: spacesDiffer(known, state) ? state.spaces : null,
    });
  }
}
