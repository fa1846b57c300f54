/** Published tables as pages: named by the worker, made one at a time, and stopped between two. */
import { strict as assert } from 'node:assert';
import { isWorkerMessage, type WorkerMessage } from '../../../src/protocol/workerMessages';
import { reproducing, tableNames } from '../../../src/worker/reproduce';
import { serve } from '../../../src/worker/serve';
import { loadParser } from '../code/c/support';

describe('published tables in the worker', function () {
  this.timeout(60_000);
  before(loadParser);

  it('are listed', async () => {
    const answer = await new Promise<WorkerMessage>(done => serve(done)({ type: 'tables', id: 4 }));
    assert.ok(isWorkerMessage(answer) && answer.type === 'tables');
    assert.deepEqual(answer.tables, tableNames());
    assert.ok(answer.tables.some(({ id }) => id === 'R1'));
  });

  it('are pages of Markdown, with a plot where there is one', () => {
    const steps = reproducing(['R1']);
    assert.equal(steps.next().value, 1, 'one is done');
    const end = steps.next();
    assert.ok(end.done);
    const [page] = end.value;
    assert.equal(page!.id, 'R1');
    assert.match(page!.markdown, /^## R1\n/);
    assert.match(page!.markdown, /!\[[^\]]+\]\(data:image\/svg\+xml;utf8,%3Csvg/);
    // No parenthesis or blank may end the address early.
    const [, address] = /\]\((data:[^\n]*)\)$/m.exec(page!.markdown)!;
    assert.match(address!, /^[^()\s]+$/);
  });

  it('that nobody knows are none', () => {
    const steps = reproducing(['R99']);
    assert.deepEqual(steps.next(), { done: true, value: [] });
  });
});
