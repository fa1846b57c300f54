import { strict as assert } from 'node:assert';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isAssembly } from './seedKinds';
import { lowerC } from '../../../../src/code/lowerC';
import { seedFolder } from '../../patch/support';
import { defaults, loadParser, unitsOfPatch } from './support';

/** Sides of hunks, and how many of them have no line that is not read. */
function images(folder: string): { all: number; clean: number; bad: string[] } {
  let all = 0;
  const bad: string[] = [];
  for (const name of readdirSync(folder).sort()) {
    const sides = unitsOfPatch(readFileSync(join(folder, name), 'utf8'));
    for (const unit of [...sides.old, ...sides.new]) {
      if (isAssembly(unit)) continue;
      const { unread } = lowerC([unit], defaults);
      unit.headings.forEach((heading, hunk) => {
        const lines = unit.lines.flatMap((line, index) => (line.hunk === hunk ? [index] : []));
        if (!lines.length) return;
        all++;
        if (unread.some(range => lines.some(line => line >= range.firstLine && line <= range.lastLine)))
          bad.push(`${name} ${unit.side} ${unit.path} ${heading}`);
      });
    }
  }
  return { all, clean: all - bad.length, bad };
}

describe('hunks of real mails', function () {
  this.timeout(60_000);
  before(loadParser);

  it('more than 95 % of the images can be read', function () {
    const folder = seedFolder();
    if (folder === null) {
      console.log('skipped: the seed mails are not here (set TLBSCOPE_SEEDS)');
      return this.skip();
    }
    const { all, clean, bad } = images(folder);
    assert.ok(all >= 80, `only ${all} images`);
    assert.ok(clean / all > 0.95, `${clean} of ${all}:\n${bad.join('\n')}`);
  });
});
