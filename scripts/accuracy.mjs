// Writes docs/accuracy.md and its plots from what `tlbscope reproduce` gives. Needs `npm run build` first.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';

const tlbscope = (...options) => {
  const run = spawnSync(process.execPath, ['dist/cli.js', 'reproduce', ...options], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  if (run.status !== 0) throw new Error(run.stderr);
  return run.stdout;
};

writeFileSync('docs/accuracy.md', tlbscope('--markdown'));
mkdirSync('docs/accuracy', { recursive: true });
for (const id of ['R1', 'R2', 'R3', 'R4', 'G1'])
  writeFileSync(`docs/accuracy/${id.toLowerCase()}.svg`, tlbscope(id, '--svg'));
console.log('docs/accuracy.md and its plots are written');
