/** A kernel tree of the workspace: the patch under review is tried on it, and scenarios run before and after it there. */
import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { modelTree } from '../../../src/kernel/tree';
import type { RunRequest } from '../../../src/protocol/run';
import { workspaceTree } from '../../../src/protocol/scenarios';
import type { HostMessage, WorkerMessage } from '../../../src/protocol/workerMessages';
import { serve } from '../../../src/worker/serve';

const series = readFileSync('examples/06-model-kernel-series.mbox', 'utf8');
const asset = (name: string): Uint8Array =>
  readFileSync(
    name === 'tree-sitter-c.wasm'
      ? 'node_modules/tree-sitter-c/tree-sitter-c.wasm'
      : 'node_modules/web-tree-sitter/web-tree-sitter.wasm',
  );

/** The answer of a worker whose host has `files` at the address `tree`. */
function ask(request: HostMessage, files: ReadonlyMap<string, string>): Promise<WorkerMessage> {
  return new Promise(done => {
    const receive = serve(answer => {
      if (answer.type === 'asset') receive({ type: 'asset', name: answer.name, bytes: asset(answer.name) });
      else if (answer.type === 'tree')
        receive({
          ...{ type: 'tree', request: answer.request },
          files: answer.wanted.map(paths => {
            const path = paths.find(one => files.has(one));
            return path === undefined ? null : { path, text: files.get(path)! };
          }),
          listed: [...files.keys()].filter(path =>
            answer.folders.includes(path.slice(0, path.lastIndexOf('/'))),
          ),
        });
      else if (answer.type !== 'progress') done(answer);
    });
    receive(request);
  });
}

const attach = (text: string): HostMessage => ({
  ...{ type: 'attach', id: 1, path: '/x.mbox', text, patch: true, tree: 'somewhere' },
  candidates: [{ key: 'a', appliesTo: ['arch/x86/mm/tlb.c'] }],
});

const run = (parts: Partial<RunRequest>): HostMessage => ({
  ...{ type: 'run', id: 2 },
  request: {
    scenario: { kind: 'builtin', name: 'madvise-threads' },
    ...{ patch: series, tree: null, variants: [], set: { n: 10, c: 3 }, machine: null, features: null },
    defaultMachine: 'broadwell-ep-e5-2660v4',
    ...parts,
  },
});

/** The model with something of its own, so that nothing can be taken from the bundled one by mistake. */
function ownTree(change: (text: string) => string): Map<string, string> {
  const tree = modelTree();
  const path = 'arch/x86/mm/tlb.c';
  tree.set(path, change(tree.get(path)!));
  return tree;
}

async function reviews(files: ReadonlyMap<string, string>, text = series) {
  const answer = await ask(attach(text), files);
  assert.ok(answer.type === 'attached', JSON.stringify(answer));
  return answer.attachment.reviews;
}

async function runs(request: HostMessage, files: ReadonlyMap<string, string>) {
  const answer = await ask(request, files);
  assert.ok(answer.type === 'ran', JSON.stringify(answer).slice(0, 400));
  return answer.report.runs.map(({ variant, counts, verdict }) => ({ variant, counts, verdict }));
}

describe('a kernel tree of the workspace', function () {
  this.timeout(120_000);

  it('is tried with the patch beside the bundled one', async () => {
    const same = await reviews(modelTree());
    assert.deepEqual([same['linux']!.applies, same[workspaceTree]!.applies], [true, true]);
    const path = 'arch/x86/include/asm/tlbflush.h';
    const changed = modelTree();
    // A line that the series takes away.
    changed.set(path, changed.get(path)!.replaceAll('user_pcid(asid)', 'tq_pcid(asid)'));
    const other = await reviews(changed);
    assert.equal(other['linux']!.applies, true);
    assert.ok(!other[workspaceTree]!.applies && /old lines are not found/.test(other[workspaceTree]!.reason));
  });

  it('without TLB code of x86 cannot run, and says so', async () => {
    const files = new Map([...modelTree()].filter(([path]) => path !== 'arch/x86/mm/tlb.c'));
    assert.deepEqual((await reviews(files))[workspaceTree], {
      ...{ applies: false, reason: 'it has no arch/x86/mm/tlb.c', line: null },
    });
    const answer = await ask(run({ treeAddress: 'somewhere' }), files);
    assert.ok(answer.type === 'failed' && /has no arch\/x86\/mm\/tlb\.c/.test(answer.reason));
  });

  it('that is a copy of the model gives the counts of the model', async () => {
    const bundled = await runs(run({}), new Map());
    assert.deepEqual(
      bundled.map(({ variant }) => variant),
      ['before', 'after'],
    );
    assert.deepEqual(await runs(run({ treeAddress: 'somewhere' }), modelTree()), bundled);
  });

  it('says which files of the patch did not run', async () => {
    // The model's own copy takes part only with its TLB code; what stands around it is the bundled model's.
    const path = 'mm/tq_more.c';
    const patch = `${series}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-int tq_a;\n+int tq_b;\n`;
    const files = new Map([...modelTree(), [path, 'int tq_a;\n']]);
    const answer = await ask(run({ treeAddress: 'somewhere', patch }), files);
    assert.ok(answer.type === 'ran', JSON.stringify(answer).slice(0, 300));
    const notes = new Set(answer.report.runs.flatMap(one => one.notes ?? []));
    assert.ok(
      [...notes].some(note => note.startsWith('not run: ') && note.includes(path)),
      [...notes].join('\n'),
    );
  });

  it('runs its own code, not the bundled one', async () => {
    const forgetful = ownTree(text => {
      // Its flush of a range does nothing.
      const head = 'void flush_tlb_mm_range(';
      assert.ok(text.includes(head));
      return `${text.replace(head, 'void tq_unused_flush(')}\nvoid flush_tlb_mm_range(struct mm_struct *mm, unsigned long start, unsigned long end,\n\t\t\tunsigned int stride_shift, bool freed_tables)\n{\n}\n`;
    });
    const [before] = await runs(run({ treeAddress: 'somewhere' }), forgetful);
    assert.equal(before!.counts['INVLPG'], undefined);
    assert.equal(before!.counts['IPI'], undefined);
  });

  it('is found again file by file', async () => {
    const request = run({ treeAddress: 'somewhere' });
    assert.ok(request.type === 'run');
    const file = { request: request.request, variant: 'after', path: 'arch/x86/mm/tlb.c' };
    const answer = await ask(
      { type: 'treeFile', id: 3, file },
      ownTree(text => `${text}\n/* tq own */\n`),
    );
    assert.ok(answer.type === 'treeFile');
    assert.match(answer.text ?? '', /\/\* tq own \*\//);
  });
});
