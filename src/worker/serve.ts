/** What the worker does with messages, the same in Node and in the browser: jobs in slices, progress, cancelling. */
import { isHostMessage, type HostMessage, type WorkerMessage } from '../protocol/workerMessages';
import { analysing } from './analyse';
import { decodedText } from './decode';

/** A slice ends after so long, to see whether a message has come. */
const sliceMilliseconds = 25;

const pause = (): Promise<void> => new Promise(done => setTimeout(done, 0));

/** Returns the function to call with every message received; `post` sends one back. */
export function serve(post: (message: WorkerMessage) => void): (message: unknown) => void {
  const cancelled = new Set<number>();
  const running = new Set<number>();

  const analyse = async ({ id, text, options }: Extract<HostMessage, { type: 'analyse' }>): Promise<void> => {
    const steps = analysing(text, options);
    let sliceEnd = performance.now() + sliceMilliseconds;
    for (;;) {
      const step = steps.next();
      if (step.done) return post({ type: 'report', id, report: step.value });
      if (performance.now() < sliceEnd) continue;
      post({ type: 'progress', id, ...step.value });
      await pause();
      if (cancelled.has(id)) return post({ type: 'cancelled', id });
      sliceEnd = performance.now() + sliceMilliseconds;
    }
  };

  const answer = async (message: Exclude<HostMessage, { type: 'cancel' }>): Promise<void> => {
    const { id } = message;
    running.add(id);
    try {
      if (message.type === 'analyse') await analyse(message);
      else post({ type: 'decoded', id, text: decodedText(message.text, message.index) });
    } catch (error) {
      post({ type: 'failed', id, reason: error instanceof Error ? error.message : String(error) });
    } finally {
      running.delete(id);
      cancelled.delete(id);
    }
  };

  return message => {
    if (!isHostMessage(message))
      post({ type: 'failed', id: null, reason: 'a malformed message was refused' });
    else if (message.type !== 'cancel') void answer(message);
    else if (running.has(message.id)) cancelled.add(message.id);
    else post({ type: 'cancelled', id: message.id });
  };
}
