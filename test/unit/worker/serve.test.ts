import { strict as assert } from 'node:assert';
import type { WorkerMessage } from '../../../src/protocol/workerMessages';
import { analyse } from '../../../src/worker/analyse';
import { serve } from '../../../src/worker/serve';

const patch = '--- a/mm/tq.c\n+++ b/mm/tq.c\n@@ -1 +1,2 @@\n a\n+b\n';
const options = { features: [], machine: 'broadwell-ep-e5-2660v4', n: 10, c: 3, firstInvalidLine: null };

/** Sends messages and collects the answers until `enough` says so. */
function exchange(
  messages: readonly unknown[],
  enough: (answers: WorkerMessage[]) => boolean,
): Promise<WorkerMessage[]> {
  return new Promise(done => {
    const answers: WorkerMessage[] = [];
    const receive = serve(answer => {
      answers.push(answer);
      if (enough(answers)) done(answers);
    });
    for (const message of messages) receive(message);
  });
}

describe('the worker', () => {
  it('answers a request with the report', async () => {
    const [answer] = await exchange(
      [{ type: 'analyse', id: 5, text: patch, options }],
      all => all.length === 1,
    );
    assert.deepEqual(answer, { type: 'report', id: 5, report: analyse(patch, options), final: true });
  });

  it('refuses what is no message', async () => {
    const [answer] = await exchange([{ type: 'analyse', id: 5 }], all => all.length === 1);
    assert.deepEqual([answer?.type, answer?.id], ['failed', null]);
  });

  it('stops a long reading when it is told to, and reports progress before', async () => {
    const text = patch.repeat(60_000);
    const answers = await exchange(
      [
        { type: 'analyse', id: 1, text, options },
        { type: 'cancel', id: 1 },
      ],
      all => all.some(({ type }) => type === 'cancelled' || type === 'report'),
    );
    assert.equal(answers.at(-1)?.type, 'cancelled');
    assert.ok(answers.some(({ type }) => type === 'progress'));
  });

  it('confirms that a request it has already answered is at an end', async () => {
    const [answer] = await exchange([{ type: 'cancel', id: 9 }], all => all.length === 1);
    assert.deepEqual(answer, { type: 'cancelled', id: 9 });
  });
});
