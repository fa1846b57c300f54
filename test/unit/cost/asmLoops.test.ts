/** Loops of assembly that count a register down: around an operation by address they count pages. */
import { strict as assert } from 'node:assert';
import { patchOf, priced, shown } from './support';

async function delta(path: string, lines: readonly string[]): Promise<Record<string, string>> {
  const added = lines.map(line => `+${line}`).join('\n');
  const [hunk] = (await priced(patchOf(path, ` SYM_FUNC_START(tq)\n${added}\n \tret\n SYM_FUNC_END(tq)`)))
    .hunks;
  return shown(hunk!.delta);
}

describe('assembly that counts down', function () {
  this.timeout(60_000);

  const arm64: Readonly<Record<string, readonly string[]>> = {
    'cbz and cbnz': ['\tcbz\tx2, 2f', '1:\ttlbi\tvale1is, x0', '\tsub\tx2, x2, #1', '\tcbnz\tx2, 1b', '2:'],
    'subs and b.ne': ['1:\ttlbi\tvale1is, x0', '\tadd\tx0, x0, #1', '\tsubs\tx2, x2, #1', '\tb.ne\t1b'],
    'subs and b.gt': ['1:\ttlbi\tvale1is, x0', '\tadd\tx0, x0, #1', '\tsubs\tx2, x2, #1', '\tb.gt\t1b'],
  };
  for (const [name, lines] of Object.entries(arm64))
    it(`runs n times with ${name}`, async () => {
      assert.deepEqual(await delta('arch/arm64/mm/tq.S', lines), { TLBI_VA_IS: 'n' });
    });

  it('runs as often as a constant says', async () => {
    const lines = ['\tmov\tx2, #4', '1:\ttlbi\tvale1is, x0', '\tsub\tx2, x2, #1', '\tcbnz\tx2, 1b'];
    assert.deepEqual(await delta('arch/arm64/mm/tq.S', lines), { TLBI_VA_IS: '4' });
  });

  for (const jump of ['subq\t$1, %rsi\n+\tjg\t1b', 'decq\t%rsi\n+\tjnz\t1b', 'subq\t$4096, %rsi\n+\tja\t1b'])
    it(`runs n times with ${jump.replace(/\s+/g, ' ')}`, async () => {
      const lines = ['1:\tinvlpg\t(%rdi)', '\taddq\t$4096, %rdi', `\t${jump}`];
      assert.deepEqual(await delta('arch/x86/entry/tq.S', lines), { INVLPG: 'n' });
    });

  it('is no retry where the test depends on what the loop counts', async () => {
    const lines = ['1:\tinvlpg\t(%rdi)', '\taddq\t$4096, %rdi', '\tdecq\t%rsi', '\tjg\t1b'];
    assert.notDeepEqual(await delta('arch/x86/entry/tq.S', lines), { INVLPG: '1' });
  });
});
