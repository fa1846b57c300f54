// Makes the .vsix: node scripts/package.mjs [output file].
import { mkdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ensureDependencies, root } from './dependencies.mjs';

/** Builds, then packages into `file`; returns its path. */
export async function packageExtension(file = join(root, 'tlbscope.vsix')) {
  ensureDependencies();
  const { buildProduct } = await import('./bundles.mjs');
  const { createVSIX } = await import('@vscode/vsce');
  await buildProduct();
  mkdirSync(dirname(file), { recursive: true });
  await createVSIX({ cwd: root, packagePath: file, dependencies: false });
  return file;
}

if (process.argv[1] && resolve(process.argv[1]) === join(root, 'scripts/package.mjs')) {
  const file = await packageExtension(process.argv[2] && resolve(process.argv[2]));
  console.log(`${file}: ${(statSync(file).size / 1024).toFixed(0)} kB`);
}
