/** What providers and commands share. */
import type * as vscode from 'vscode';
import type { Machines } from './machines';
import { patchLanguage, type Models } from './models';
import type { ShownMachine } from './present/machine';
import type { Values } from './present/prices';
import type { Settings } from './settings';

/** Anything to be released when the extension ends. */
export interface Releasable {
  dispose(): unknown;
}

export interface Shared {
  readonly settings: Settings;
  readonly models: Models;
  readonly machines: Machines;
  readonly log: vscode.LogOutputChannel;
  readonly extensionUri: vscode.Uri;
}

/** Every document in the language, of whatever scheme: virtual documents too. */
export const patchSelector: vscode.DocumentSelector = { language: patchLanguage };

export const isPatchDocument = (document: vscode.TextDocument): boolean =>
  document.languageId === patchLanguage;

/** The machine and the values that texts are made with. */
export const pricing = ({ machines, settings }: Shared): { machine: ShownMachine; values: Values } => ({
  machine: machines.current(),
  values: { ...settings.symbols },
});
