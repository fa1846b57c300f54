import { strict as assert } from 'node:assert';
import { createRequire } from 'node:module';
import { build, type Plugin } from 'esbuild';

/** The model kernel is text: it reaches nothing. */
const noModels: Plugin = {
  name: 'no-models',
  setup: made => {
    made.onResolve({ filter: /^models:/ }, ({ path }) => ({ path, namespace: 'models' }));
    made.onLoad({ filter: /.*/, namespace: 'models' }, () => ({ contents: 'export const files = {};' }));
  },
};

/** Modules that a bundle of `entry` asks for at run time. */
async function externals(entry: string, platform: 'node' | 'browser'): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [entry],
    platform,
    bundle: true,
    write: false,
    metafile: true,
    format: 'cjs',
    outdir: 'dist',
    external: ['vscode'],
    loader: { '.jsonc': 'text' },
    plugins: [noModels],
    alias: { 'web-tree-sitter': createRequire(`${process.cwd()}/package.json`).resolve('web-tree-sitter') },
    logLevel: 'silent',
  });
  const imports = Object.values(metafile.inputs).flatMap(input => input.imports);
  return [...new Set(imports.filter(({ external }) => external).map(({ path }) => path))].sort();
}

describe('what the bundles can reach', function () {
  this.timeout(60_000);

  it('no network, no process, no file system: only VS Code and a worker', async () => {
    assert.deepEqual(await externals('src/extension/node.ts', 'node'), ['node:worker_threads', 'vscode']);
    assert.deepEqual(await externals('src/extension/web.ts', 'browser'), ['vscode']);
    assert.deepEqual(await externals('src/worker/web.ts', 'browser'), []);
    // The C parser's own loader of its files is in the bundle and never runs: the host hands it the bytes.
    assert.deepEqual(await externals('src/worker/node.ts', 'node'), [
      'fs',
      'fs/promises',
      'node:worker_threads',
    ]);
  });
});
