// `npm run bench [part of a file's name]`: bundles and runs test/bench/*.bench.ts (see test/bench/bench.ts for what
// a bench is), prints one table, and exits 1 when a row is past its floor.
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { ensureDependencies } from './dependencies.mjs';

ensureDependencies();
const { buildBenches, buildProduct } = await import('./bundles.mjs');
await buildProduct();
const require = createRequire(import.meta.url);
const wanted = process.argv[2] ?? '';
const files = (await buildBenches()).filter(file => basename(file).includes(wanted));
if (!files.length) console.log('No bench of that name.');

const number = value => (value === undefined ? '' : value >= 100 ? value.toFixed(0) : value.toPrecision(3));

let missed = 0;
for (const file of files) {
  const { benches } = require(file);
  for (const bench of benches) {
    console.log(`\n${basename(file, '.bench.js')}: ${bench.name}`);
    const rows = await bench.run();
    const width = Math.max(20, ...rows.map(row => row.what.length));
    for (const row of rows) {
      const better = (limit, value) => (row.lowerIsBetter ? value <= limit : value >= limit);
      const past = row.floor !== undefined && !better(row.floor, row.value);
      if (past) missed += 1;
      const reached = row.goal !== undefined && better(row.goal, row.value);
      const marks = [
        row.floor === undefined ? '' : `floor ${number(row.floor)}`,
        row.goal === undefined ? '' : `goal ${number(row.goal)}${reached ? ' reached' : ''}`,
        past ? 'PAST ITS FLOOR' : '',
      ];
      console.log(
        `  ${row.what.padEnd(width)} ${number(row.value).padStart(9)} ${row.unit.padEnd(6)} ${marks.filter(Boolean).join(', ')}`.trimEnd(),
      );
    }
  }
}
process.exit(missed ? 1 : 0);
