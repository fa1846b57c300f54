// Runs the unit tests with mocha: node scripts/unit.mjs [folder or file of test/unit].
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { buildUnitTests, root } from './bundles.mjs';

const files = await buildUnitTests(process.argv[2]);
const mocha = join(root, 'node_modules/mocha/bin/mocha.js');
const run = spawnSync(process.execPath, ['--enable-source-maps', mocha, '--reporter', 'dot', ...files], {
  stdio: 'inherit',
  cwd: root,
});
process.exit(run.status ?? 1);
