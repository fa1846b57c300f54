import * as vscode from 'vscode';
import { activateExtension, type ExtensionApi } from './activate';
import type { WorkerPort } from './workerClient';

/** A worker cannot be started from the extension's own address here, but from a blob of the same text it can. */
async function startWorker(context: vscode.ExtensionContext): Promise<WorkerPort> {
  const script = await vscode.workspace.fs.readFile(
    vscode.Uri.joinPath(context.extensionUri, 'dist/web/worker.js'),
  );
  const address = URL.createObjectURL(new Blob([new Uint8Array(script)], { type: 'text/javascript' }));
  const worker = new Worker(address);
  return {
    post: message => worker.postMessage(message),
    onMessage: listener => worker.addEventListener('message', event => listener(event.data)),
    onFailure: listener => worker.addEventListener('error', event => listener(event.message)),
    terminate: () => {
      worker.terminate();
      URL.revokeObjectURL(address);
    },
  };
}

export const activate = (context: vscode.ExtensionContext): ExtensionApi =>
  activateExtension(context, () => startWorker(context));
