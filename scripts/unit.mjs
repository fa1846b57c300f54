// Runs bundled mocha tests on Node: node scripts/unit.mjs [folder or file of test/unit or test/ui].
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { buildUnitTests, root } from './bundles.mjs';

const files = await buildUnitTests(process.argv[2]);
const mocha = join(root, 'node_modules/mocha/bin/mocha.js');
const reporter = join(root, 'scripts/reporter.mjs');
// A test that hangs ends; how fast one runs is for the bench.
const options = ['--reporter', reporter, '--timeout', '120s'];
const run = spawnSync(process.execPath, ['--enable-source-maps', mocha, ...options, ...files], {
  stdio: 'inherit',
  cwd: root,
});
process.exit(run.status ?? 1);
