import { strict as assert } from 'node:assert';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isAssembly } from './seedKinds';
import { lowerC } from '../../../../src/code/lowerC';
import { defaults, loadParser, unitsOfPatch } from './support';

const folder = process.env['TLBSCOPE_SEEDS'] ?? resolve('..', 'shared', 'seeds');

/** Sides of hunks, and how many of them have no line that is not read. */
function images(): { all: number; clean: number; bad: string[] } {
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

  it('more than 76 % of the images can be read', function () {
    if (!existsSync(folder)) {
      console.log(`skipped: ${folder} is not there; set TLBSCOPE_SEEDS`);
      this.skip();
    }
    const { all, clean, bad } = images();
    assert.ok(all >= 80, `only ${all} images`);
    assert.ok(clean / all > 0.95, `${clean} of ${all}:\n${bad.join('\n')}`);
  });
});
