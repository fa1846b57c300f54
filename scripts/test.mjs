// `npm test`: all tests, or the parts named: node scripts/test.mjs [unit] [host] [ui]. The last line counts them.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureDependencies, root } from './dependencies.mjs';

ensureDependencies();

const parts = {
  unit: [['scripts/unit.mjs', 'test/unit']],
  host: [
    ['scripts/hostTests.mjs', 'node'],
    ['scripts/hostTests.mjs', 'web'],
  ],
  ui: [['scripts/uiTests.mjs']],
};
const chosen = process.argv.slice(2).length ? process.argv.slice(2) : Object.keys(parts);
const folder = mkdtempSync(join(tmpdir(), 'tlbscope-test-'));
const sum = { passed: 0, failed: 0, skipped: 0 };

// Some unit tests read a real kernel tree. Where the package is not installed, they say that they skip.
if (chosen.includes('unit') && existsSync('/usr/src/linux-source-6.1.tar.xz')) {
  spawnSync(process.execPath, ['scripts/linux-source.mjs'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

for (const [index, command] of chosen.flatMap(part => parts[part] ?? []).entries()) {
  console.log(`\n== ${command.join(' ')}`);
  const file = join(folder, String(index));
  const run = spawnSync(process.execPath, command, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, TLBSCOPE_TOTALS: file },
  });
  const totals = existsSync(file)
    ? readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map(line => JSON.parse(line))
    : [];
  for (const { passed, failed, skipped } of totals) {
    sum.passed += passed;
    sum.failed += failed;
    sum.skipped += skipped;
  }
  // A part that broke down before it could count is a failure, not a silence.
  if (run.status !== 0 && !totals.some(({ failed }) => failed > 0)) sum.failed += 1;
}
rmSync(folder, { recursive: true, force: true });
if (sum.skipped) console.log(`\n${sum.skipped} skipped (each says why above).`);
console.log(`\n${sum.passed} passed, ${sum.failed} failed`);
process.exit(sum.failed || !sum.passed ? 1 : 0);
