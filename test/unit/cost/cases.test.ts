import { strict as assert } from 'node:assert';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { canonical, hunkAt, priced, shown } from './support';

const folder = join(process.cwd(), 'test/cases/cost');

interface Expected {
  readonly hunks: readonly {
    readonly file: string;
    readonly oldStart: number;
    readonly gates: readonly string[];
    readonly delta: Readonly<Record<string, string>>;
  }[];
}

describe('cases of cost', function () {
  this.timeout(20_000);
  for (const name of readdirSync(folder)) {
    const expected = JSON.parse(readFileSync(join(folder, name, 'expected.json'), 'utf8')) as Expected;
    for (const { file, oldStart, gates, delta } of expected.hunks)
      it(`${name}: ${file} ${oldStart} with ${gates.join() || 'no features'}`, async () => {
        const patch = new Uint8Array(readFileSync(join(folder, name, 'input.patch')));
        const document = await priced(patch, { features: gates });
        assert.deepEqual(shown(hunkAt(document, file, oldStart).delta), canonical(delta));
      });
  }

  it('a function that only moved totals nothing', async () => {
    const patch = new Uint8Array(readFileSync(join(folder, '11-helper-moved-out-of-line/input.patch')));
    for (const features of [[], ['PTI']])
      assert.deepEqual(shown((await priced(patch, { features })).total.delta), {});
  });
});
