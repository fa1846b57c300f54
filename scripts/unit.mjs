// Runs bundled mocha tests on Node: node scripts/unit.mjs [folder or file of test/unit or test/ui].
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { buildUnitTests, root } from './bundles.mjs';

const files = await buildUnitTests(process.argv[2]);
const mocha = join(root, 'node_modules/mocha/bin/mocha.js');
const reporter = join(root, 'scripts/reporter.mjs');
const run = spawnSync(process.execPath, ['--enable-source-maps', mocha, '--reporter', reporter, ...files], {
  stdio: 'inherit',
  cwd: root,
});
process.exit(run.status ?? 1);
