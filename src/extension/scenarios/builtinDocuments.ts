/** The built-in scenarios as read-only documents. */
import * as vscode from 'vscode';
import { builtinScenarios } from '../../scenario/builtin';
import type { Releasable } from '../context';
import { builtinScheme, scenarioName } from './names';

const provider: vscode.TextDocumentContentProvider = {
  provideTextDocumentContent: uri =>
    builtinScenarios.find(({ name }) => name === scenarioName(uri))?.text ??
    '// TLBScope has no built-in scenario of this name.\n',
};

export const registerBuiltinDocuments = (): Releasable =>
  vscode.workspace.registerTextDocumentContentProvider(builtinScheme, provider);
