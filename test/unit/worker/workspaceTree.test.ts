import { strict as assert } from 'node:assert';
import { foldersOf, looksLikeLinux, looksLikeXen, partsOf } from '../../../src/extension/kernelFolders';
import { WorkspaceTrees, type AskTree } from '../../../src/worker/workspaceTree';

const tree: Readonly<Record<string, string>> = {
  'mm/tq.c': '#include <linux/tq.h>\n#include "local.h"\nvoid tq(void)\n{\n\ttq_flush();\n}\n',
  'mm/local.h': '#define TQ_LOCAL 1\n',
  'mm/beside.c': '#include <asm/tq.h>\nvoid tq_beside(void)\n{\n}\n',
  'mm/notes.txt': 'no code\n',
  'include/linux/tq.h': '#include <asm/tq.h>\n#include <asm-generic/tq.h>\n',
  'arch/x86/include/asm/tq.h': '#include <linux/tq.h>\nvoid tq_flush(void);\n',
  'include/asm-generic/tq.h': '',
  'arch/x86/mm/tlb.c': 'void tq_flush(void)\n{\n}\n',
  'drivers/tq/far.c': 'void tq_far(void)\n{\n}\n',
};

function host(files = tree) {
  const asked: string[] = [];
  const ask: AskTree = (_address, wanted, folders) => {
    asked.push(...wanted.flat(), ...folders);
    return Promise.resolve({
      files: wanted.map(places => {
        const path = places.find(place => Object.hasOwn(files, place));
        return path === undefined ? null : { path, text: files[path]! };
      }),
      listed: Object.keys(files).filter(path => folders.includes(path.slice(0, path.lastIndexOf('/')))),
    });
  };
  return { asked, ask };
}

const breathe = () => undefined;

describe('a kernel tree in the workspace', () => {
  it('gives the patched file, what it includes, and the C files beside it', async () => {
    const { ask, asked } = host();
    const opened = await new WorkspaceTrees(ask).open('a', ['mm/tq.c'], 'x86', breathe);
    assert.ok(opened);
    assert.deepEqual(opened.tree.lines('mm/local.h'), ['#define TQ_LOCAL 1']);
    for (const path of Object.keys(tree).filter(path => !/notes|far/.test(path)))
      assert.notEqual(opened.tree.lines(path), null, path);
    assert.equal(opened.tree.lines('drivers/tq/far.c'), null);
    assert.equal(opened.tree.lines('mm/notes.txt'), null);
    assert.ok(!asked.includes('drivers/tq'));
    const [unit] = opened.index.unitsDefining('tq_flush', 'function', 'mm/tq.c');
    assert.equal(unit?.path, 'arch/x86/mm/tlb.c');
  });

  it('asks for nothing twice, and gives the same tree again', async () => {
    const { ask, asked } = host();
    const trees = new WorkspaceTrees(ask);
    const first = await trees.open('a', ['mm/tq.c'], 'x86', breathe);
    const before = asked.length;
    assert.equal(await trees.open('a', ['mm/tq.c'], 'x86', breathe), first);
    assert.equal(asked.length, before);
    assert.notEqual(await trees.open('b', ['mm/tq.c'], 'x86', breathe), first);
    assert.ok(asked.length > before, 'another address is another tree');
  });

  it('is not used where it has none of the files', async () => {
    const { ask, asked } = host();
    assert.equal(await new WorkspaceTrees(ask).open('a', ['mm/other.c'], 'x86', breathe), null);
    assert.deepEqual(asked, ['mm/other.c']);
  });

  it('ends at a bound, with the nearest files', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 3_000 }, (_, at) => [`mm/tq${at}.c`, `#include "tq${at + 1}.c"\n`]),
    );
    const { ask } = host(many);
    const opened = await new WorkspaceTrees(ask).open('a', ['mm/tq0.c'], 'x86', breathe);
    assert.notEqual(opened?.tree.lines('mm/tq1.c'), null);
    const there = Object.keys(many).filter(path => opened?.tree.lines(path) !== null);
    assert.ok(there.length >= 2_000 && there.length < 2_300, `${there.length} files`);
  });

  it('can be cancelled while files are fetched', async () => {
    const stop = () => Promise.reject(new Error('cancelled'));
    await assert.rejects(new WorkspaceTrees(host().ask).open('a', ['mm/tq.c'], 'x86', stop), /cancelled/);
  });

  it('goes on after it was cancelled at any step, with nothing left out', async () => {
    const whole = await new WorkspaceTrees(host().ask).open('a', ['mm/tq.c'], 'x86', breathe);
    assert.ok(whole);
    for (let steps = 0; ; steps++) {
      const trees = new WorkspaceTrees(host().ask);
      let left = steps;
      const stop = () => (left-- > 0 ? undefined : Promise.reject(new Error('cancelled')));
      const first = await trees.open('a', ['mm/tq.c'], 'x86', stop).catch(() => null);
      const again = await trees.open('a', ['mm/tq.c'], 'x86', breathe);
      assert.deepEqual(new Map([...again!.files].sort()), new Map([...whole.files].sort()), `${steps} steps`);
      if (first) break;
      assert.ok(steps < 100);
    }
  });

  it('is whole for each of two documents that are opened at once, also where the first is cancelled', async () => {
    const trees = new WorkspaceTrees(host().ask);
    const stop = () => Promise.reject(new Error('cancelled'));
    const [cancelled, one, two] = await Promise.allSettled([
      trees.open('a', ['mm/tq.c'], 'x86', stop),
      trees.open('a', ['mm/tq.c'], 'x86', breathe),
      trees.open('a', ['mm/tq.c', 'mm/beside.c'], 'x86', breathe),
    ]);
    assert.equal(cancelled.status, 'rejected');
    assert.ok(one.status === 'fulfilled' && two.status === 'fulfilled');
    assert.ok(one.value?.files.has('arch/x86/mm/tlb.c'));
    assert.equal(two.value, one.value);
  });

  it('is told by its folders, and left by no path', () => {
    const set = (...names: string[]) => new Set(names);
    assert.ok(looksLikeLinux(set('arch', 'mm', 'fs'), set('Kconfig', 'Makefile')));
    assert.ok(!looksLikeLinux(set('arch', 'mm'), set('Makefile')));
    assert.ok(!looksLikeLinux(set('arch'), set('Kconfig')));
    assert.ok(looksLikeXen(set('arch', 'common')));
    assert.deepEqual(partsOf('arch/x86/mm/tlb.c'), ['arch', 'x86', 'mm', 'tlb.c']);
    for (const path of [
      '../x.c',
      'a/../../x.c',
      '/etc/x.h',
      'a//x.c',
      'a/./x.c',
      'C:/x.c',
      'a\\x.c',
      'x',
      '.ssh/key',
      '',
    ])
      assert.equal(partsOf(path), null, path);
    assert.equal(foldersOf('../mm'), null);
    assert.deepEqual(foldersOf('mm'), ['mm']);
  });
});
