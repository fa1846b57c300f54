/** The sample series that comes with the extension, as a read-only document. */
import * as vscode from 'vscode';
import type { Releasable } from './context';

const scheme = 'tlbscope-sample';
const name = '06-model-kernel-series.mbox';

export const sampleUri = vscode.Uri.from({ scheme, path: `/${name}` });

export const registerSample = (extensionUri: vscode.Uri): Releasable =>
  vscode.workspace.registerTextDocumentContentProvider(scheme, {
    provideTextDocumentContent: async () =>
      new TextDecoder().decode(
        await vscode.workspace.fs.readFile(vscode.Uri.joinPath(extensionUri, 'examples', name)),
      ),
  });
