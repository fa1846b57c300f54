import { Worker } from 'node:worker_threads';
import * as vscode from 'vscode';
import { activateExtension, type ExtensionApi } from './activate';
import type { WorkerPort } from './workerClient';

const startWorker = (context: vscode.ExtensionContext): WorkerPort => {
  const worker = new Worker(vscode.Uri.joinPath(context.extensionUri, 'dist/worker.js').fsPath);
  let ended = false;
  return {
    post: message => worker.postMessage(message),
    onMessage: listener => worker.on('message', listener),
    onFailure: listener => {
      worker.on('error', error => listener(error.message));
      worker.on('exit', code => ended || listener(`it exited with ${code}`));
    },
    terminate: () => {
      ended = true;
      void worker.terminate();
    },
  };
};

export const activate = (context: vscode.ExtensionContext): ExtensionApi =>
  activateExtension(context, () => Promise.resolve(startWorker(context)));
