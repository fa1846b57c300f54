/** What scenario files are called, and how the built-in ones are addressed. */
import * as vscode from 'vscode';

export const scenarioEnding = '.tlbscope.jsonc';
/** Scheme of the built-in scenarios: read-only documents. */
export const builtinScheme = 'tlbscope-builtin';

export const builtinUri = (name: string): vscode.Uri =>
  vscode.Uri.from({ scheme: builtinScheme, path: `/${name}${scenarioEnding}` });

/** `madvise-threads` of a path that ends in `madvise-threads.tlbscope.jsonc`. */
export const scenarioName = (uri: vscode.Uri): string =>
  (uri.path.split('/').pop() ?? '').slice(0, -scenarioEnding.length);

/** A scenario file that a user can have open: not the old side of a comparison, nor one of ours. */
export const isScenarioUri = (uri: vscode.Uri): boolean =>
  uri.path.endsWith(scenarioEnding) && uri.scheme !== 'git' && !uri.scheme.startsWith('tlbscope-');
