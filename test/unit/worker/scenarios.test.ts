/** What the worker says of scenario files: described, and those that fit a document. */
import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import type { ScenarioHostMessage } from '../../../src/protocol/scenarios';
import { isWorkerMessage, type WorkerMessage } from '../../../src/protocol/workerMessages';
import { builtinScenarios } from '../../../src/scenario/builtin';
import { serve } from '../../../src/worker/serve';

/** The answer to one request; it has the agreed form. */
function ask(request: unknown): Promise<WorkerMessage> {
  return new Promise(done => {
    const receive = serve(answer => {
      if (answer.type === 'progress') return;
      assert.ok(isWorkerMessage(answer), JSON.stringify(answer).slice(0, 300));
      done(answer);
    });
    receive(request);
  });
}

const attach = (parts: Partial<Extract<ScenarioHostMessage, { type: 'attach' }>>): unknown => ({
  ...{ type: 'attach', id: 1, path: '/x.patch', text: '', patch: true, tree: null },
  candidates: [
    { key: 'path', appliesTo: ['arch/x86/mm/*.c'] },
    { key: 'function', appliesTo: ['flush_tlb_func'] },
    { key: 'other', appliesTo: ['arch/arm64/**'] },
  ],
  ...parts,
});

async function attached(parts: Parameters<typeof attach>[0]) {
  const answer = await ask(attach(parts));
  assert.ok(answer.type === 'attached');
  return answer.attachment;
}

describe('scenarios in the worker', () => {
  it('describes the built-in ones', async () => {
    const texts = builtinScenarios.map(({ name, text }) => ({ key: name, text }));
    const answer = await ask({ type: 'describe', id: 3, texts });
    assert.ok(answer.type === 'described' && answer.id === 3);
    assert.equal(answer.scenarios.length, texts.length);
    assert.ok(answer.scenarios.every(({ described }) => described.ok));
  });

  it('gives the mistakes of one that is damaged, and goes on', async () => {
    const texts = [
      { key: 'a', text: '{' },
      { key: 'b', text: builtinScenarios[0]!.text },
    ];
    const answer = await ask({ type: 'describe', id: 3, texts });
    assert.ok(answer.type === 'described');
    assert.deepEqual(
      answer.scenarios.map(({ described }) => described.ok),
      [false, true],
    );
  });

  it('finds those that fit a patch, and that the patch applies to the model kernel', async () => {
    const text = readFileSync('examples/06-model-kernel-series.mbox', 'utf8');
    const { fits, isPatch, reviews } = await attached({ text });
    assert.deepEqual(fits, [
      { key: 'path', because: ['arch/x86/mm/*.c'] },
      { key: 'function', because: ['flush_tlb_func'] },
    ]);
    assert.ok(isPatch);
    assert.equal(reviews['linux']?.applies, true);
  });

  it('says why a patch does not apply', async () => {
    const text = '--- a/arch/x86/mm/tq.c\n+++ b/arch/x86/mm/tq.c\n@@ -1 +1,2 @@\n a\n+b\n';
    const { reviews } = await attached({ text });
    assert.deepEqual(reviews['linux'], {
      ...{ applies: false, line: 1 },
      reason: 'arch/x86/mm/tq.c: there is no file arch/x86/mm/tq.c',
    });
  });

  it('takes a source file by its path and its names, without a review', async () => {
    const source = {
      path: '/home/x/linux/arch/x86/mm/tlb.c',
      text: 'int f(void) { return 0; }',
      patch: false,
    };
    assert.deepEqual(await attached(source), {
      ...{ fits: [{ key: 'path', because: ['arch/x86/mm/*.c'] }], isPatch: false, reviews: {} },
    });
    const named = await attached({ path: '/kernel/x.c', text: 'void flush_tlb_func(void);', patch: false });
    assert.deepEqual(
      named.fits.map(({ key }) => key),
      ['function'],
    );
  });

  it('takes a reply by what it quotes', async () => {
    const text = readFileSync('examples/04-review-reply.txt', 'utf8').replace(/^[^>].*$/gm, '');
    const { isPatch, reviews } = await attached({ text });
    assert.equal(isPatch, false);
    assert.deepEqual(reviews, {});
  });

  it('refuses a malformed request', async () => {
    const answer = await ask({ ...(attach({}) as object), candidates: [{ key: 'x' }] });
    assert.deepEqual([answer.type, answer.id], ['failed', null]);
  });
});
