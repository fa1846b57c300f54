/** The one reader (and writer) of the extension's settings. */
import * as vscode from 'vscode';
import type { Switch } from './present/switches';

const section = 'tlbscope';

/** Values of the symbols that a price needs. */
export interface Symbols {
  /** Pages of the flushed range. */
  readonly n: number;
  /** Remote CPUs that must be told. */
  readonly c: number;
}

export class Settings implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  /** Written but not yet seen in the configuration: numbers follow at once, the file may take its time. */
  private readonly pending = new Map<string, unknown>();
  private readonly listening: vscode.Disposable;

  constructor(private readonly log: vscode.LogOutputChannel) {
    this.listening = vscode.workspace.onDidChangeConfiguration(
      event => event.affectsConfiguration(section) && this.changed.fire(),
    );
  }

  get machine(): string {
    return this.read('machine', 'broadwell-ep-e5-2660v4');
  }

  /** The features that the user has set, or null for those of the machine. */
  get features(): readonly string[] | null {
    const value = this.pending.has('features')
      ? this.pending.get('features')
      : vscode.workspace.getConfiguration(section).get<unknown>('features');
    return Array.isArray(value) ? value.filter(one => typeof one === 'string') : null;
  }

  get symbols(): Symbols {
    return { n: this.count('pages', 10), c: this.count('remoteCpus', 3) };
  }

  /** `auto`, `none`, or the path of a kernel tree. */
  get kernelTree(): string {
    return this.read('kernelTree', 'auto').trim() || 'none';
  }

  shows(name: Switch): boolean {
    return this.read(`show.${name}`, true);
  }

  /** Whether scenarios that have been run are run again when they, or the patch, are saved. */
  get rerunOnSave(): boolean {
    return this.read('scenarios.rerunOnSave', true);
  }

  setMachine(id: string): Promise<void> {
    return this.write('machine', id);
  }

  setSymbol(key: 'pages' | 'remoteCpus', value: number): Promise<void> {
    return this.write(key, value);
  }

  /** null: those of the machine. */
  setFeatures(names: readonly string[] | null): Promise<void> {
    return this.write('features', names);
  }

  show(name: Switch, on: boolean): Promise<void> {
    return this.write(`show.${name}`, on);
  }

  /** Something that the settings name has changed, such as a machine. */
  refresh(): void {
    this.changed.fire();
  }

  dispose(): void {
    this.listening.dispose();
    this.changed.dispose();
  }

  private read<T extends string | number | boolean>(key: string, otherwise: T): T {
    const value = this.pending.get(key) ?? vscode.workspace.getConfiguration(section).get(key);
    return typeof value === typeof otherwise ? (value as T) : otherwise;
  }

  /** A whole number within the bounds of package.json, whatever a settings file says. */
  private count(key: string, otherwise: number): number {
    const value = this.read(key, otherwise);
    return Number.isSafeInteger(value) && value >= 0 && value <= 1_000_000 ? value : otherwise;
  }

  private async write(key: string, value: unknown): Promise<void> {
    this.pending.set(key, value);
    this.changed.fire();
    const configuration = vscode.workspace.getConfiguration(section);
    const here = configuration.inspect(key)?.workspaceValue !== undefined;
    try {
      await configuration.update(
        key,
        value,
        here ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global,
      );
      this.pending.delete(key);
    } catch (error) {
      // It stays in force until the window closes.
      this.log.warn(`The setting ${section}.${key} could not be saved: ${String(error)}`);
    }
  }
}
