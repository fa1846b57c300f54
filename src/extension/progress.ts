/** Progress with a way out for what takes longer than half a second; nothing is shown for what does not. */
import * as vscode from 'vscode';

const patienceMilliseconds = 500;

export interface Reporting {
  readonly signal: AbortSignal;
  /** How far it is. */
  readonly progress: (done: number, total: number, what?: string) => void;
}

/** Runs `task`; `where` is a notification for what was asked for by a command, or a view. */
export async function withPatience<T>(
  title: string,
  where: vscode.ProgressLocation | { readonly viewId: string },
  task: (reporting: Reporting) => Promise<T>,
  abort = new AbortController(),
): Promise<T> {
  let told = 0;
  let latest = '';
  let show: ((message: string, increment: number) => void) | undefined;
  const running = task({
    signal: abort.signal,
    progress: (done, total, what = '') => {
      const share = total > 0 ? (100 * done) / total : 0;
      latest = [what, total > 1 ? `${done} of ${total}` : ''].filter(Boolean).join(', ');
      show?.(latest, Math.max(0, share - told));
      if (show) told = Math.max(told, share);
    },
  });
  const settled = running.then(
    () => undefined,
    () => undefined,
  );
  const timer = setTimeout(() => {
    const options = { location: where, title, cancellable: true };
    void vscode.window.withProgress(options, (progress, token) => {
      token.onCancellationRequested(() => abort.abort());
      show = (message, increment) => progress.report({ message, increment });
      if (latest) show(latest, 0);
      return settled;
    });
  }, patienceMilliseconds);
  try {
    return await running;
  } finally {
    clearTimeout(timer);
  }
}
