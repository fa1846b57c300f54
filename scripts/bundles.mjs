// The bundles that esbuild makes, and the files copied beside them. One place for build, tests and watch.
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';

export const root = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(import.meta.url);

/** `models:linux`, `models:xen`: the texts below that folder of models as one module, so that the bundles carry them. */
const modelTrees = {
  name: 'model-trees',
  setup(build) {
    build.onResolve({ filter: /^models:(?:linux|xen)$/ }, ({ path }) => ({ path, namespace: 'models' }));
    build.onLoad({ filter: /.*/, namespace: 'models' }, ({ path }) => {
      const folder = path.replace(':', '/');
      const base = join(root, folder);
      const paths = filesBelow(folder, '').map(file => relative(base, join(root, file)));
      const files = Object.fromEntries(
        paths.map(path => [path.split(sep).join('/'), readFileSync(join(base, path), 'utf8')]),
      );
      return {
        contents: `export const files = ${JSON.stringify(files)};`,
        loader: 'js',
        watchFiles: paths.map(path => join(base, path)),
      };
    });
  },
};

const common = {
  plugins: [modelTrees],
  bundle: true,
  sourcemap: false,
  minify: true,
  logLevel: 'warning',
  absWorkingDir: root,
  legalComments: 'none',
  loader: { '.json': 'json', '.jsonc': 'text' },
  // The ES module asks for import.meta.url, which neither CommonJS nor a worker made of a blob has.
  alias: { 'web-tree-sitter': require.resolve('web-tree-sitter') },
};
const node = { ...common, platform: 'node', target: 'node20', format: 'cjs' };
const browser = { ...common, platform: 'browser', target: 'es2022', format: 'cjs' };

/** Product bundles: only those whose entry exists, so that a room can be added in its own commit. */
const bundles = [
  {
    ...node,
    entryPoints: ['src/cli/main.ts'],
    outfile: 'dist/cli.js',
    banner: { js: '#!/usr/bin/env node' },
  },
  { ...node, entryPoints: ['src/extension/node.ts'], outfile: 'dist/extension.js', external: ['vscode'] },
  {
    ...browser,
    entryPoints: ['src/extension/web.ts'],
    outfile: 'dist/web/extension.js',
    external: ['vscode'],
  },
  { ...node, entryPoints: ['src/worker/node.ts'], outfile: 'dist/worker.js' },
  { ...browser, format: 'iife', entryPoints: ['src/worker/web.ts'], outfile: 'dist/web/worker.js' },
  { ...browser, format: 'iife', entryPoints: ['webview/main.ts'], outfile: 'dist/webview/panel.js' },
  { ...browser, entryPoints: ['webview/panel.css'], outfile: 'dist/webview/panel.css' },
];

/** Every file below `folder` (relative to the root) whose name ends in `ending`. */
export function filesBelow(folder, ending) {
  const found = [];
  const walk = path => {
    for (const name of readdirSync(path)) {
      const child = join(path, name);
      if (statSync(child).isDirectory()) walk(child);
      else if (name.endsWith(ending)) found.push(relative(root, child));
    }
  };
  const start = join(root, folder);
  if (existsSync(start)) walk(start);
  return found.sort();
}

/** Copies the WebAssembly of the C parser beside the bundles. */
function copyAssets() {
  mkdirSync(join(root, 'dist'), { recursive: true });
  const runtime = join(require.resolve('web-tree-sitter'), '..', 'web-tree-sitter.wasm');
  const grammar = join(require.resolve('tree-sitter-c/package.json'), '..', 'tree-sitter-c.wasm');
  cpSync(runtime, join(root, 'dist/web-tree-sitter.wasm'));
  cpSync(grammar, join(root, 'dist/tree-sitter-c.wasm'));
}

/** Builds what ships. */
export async function buildProduct() {
  await Promise.all(
    bundles
      .filter(({ entryPoints }) => existsSync(join(root, entryPoints[0])))
      .map(options => esbuild.build(options)),
  );
  copyAssets();
}

/** Builds the command line alone. */
export const buildCommandLine = outfile => esbuild.build({ ...bundles[0], outfile });

/** Bundles unit tests (all, or those below `folder`) and returns the files to give to mocha. */
export async function buildUnitTests(folder = 'test/unit') {
  const entryPoints = folder.endsWith('.ts') ? [folder] : filesBelow(folder, '.test.ts');
  if (!entryPoints.length) return [];
  await esbuild.build({
    ...node,
    minify: false,
    sourcemap: 'inline',
    entryPoints,
    outdir: 'dist/test',
    outbase: 'test',
    external: ['esbuild', 'playwright-core'],
    packages: 'bundle',
  });
  return entryPoints.map(entry => join(root, 'dist/test', relative('test', entry)).replace(/\.ts$/, '.js'));
}

/** Bundles what a page runs to compare its trace with that of Node. */
export const buildTracingPage = () =>
  esbuild.build({
    ...browser,
    format: 'iife',
    entryPoints: ['test/ui/tracingPage.ts'],
    outfile: 'dist/test/tracingPage.js',
  });

/**
 * Mocha's build for browsers lies in a package of ES modules, so esbuild does not take it for CommonJS, and it would
 * overwrite the bundle's own `module.exports`: without `module` in sight it goes to the global object.
 */
const globalMocha = {
  name: 'global-mocha',
  setup(build) {
    build.onLoad({ filter: /node_modules[\\/]mocha[\\/]mocha\.js$/ }, ({ path }) => ({
      contents: `(function (module, exports, define) {${readFileSync(path, 'utf8')}\n}).call(globalThis);`,
      loader: 'js',
    }));
  },
};

/** Bundles the tests that run inside VS Code: one file for each kind of extension host, of all test/host/*.test.ts. */
export async function buildHostTests() {
  const imports = ['./test/host/setup', ...filesBelow('test/host', '.test.ts').map(file => `./${file}`)];
  const contents = [...imports.map(path => `import '${path}';`), "export { run } from './test/host/run';"];
  const shared = {
    minify: false,
    sourcemap: 'inline',
    external: ['vscode'],
    plugins: [modelTrees, globalMocha],
    stdin: { contents: contents.join('\n'), resolveDir: root, sourcefile: 'hostTests.ts', loader: 'ts' },
  };
  await Promise.all([
    esbuild.build({ ...node, ...shared, define: { HOST_KIND: '"node"' }, outfile: 'dist/test/host/node.js' }),
    esbuild.build({
      ...browser,
      ...shared,
      define: { HOST_KIND: '"web"' },
      outfile: 'dist/test/host/web.js',
    }),
  ]);
}

/** Bundles test/bench/*.bench.ts and returns the files to run. */
export async function buildBenches() {
  const entryPoints = filesBelow('test/bench', '.bench.ts');
  if (!entryPoints.length) return [];
  await esbuild.build({ ...node, entryPoints, outdir: 'dist/bench', outbase: 'test/bench' });
  return entryPoints.map(entry =>
    join(root, 'dist/bench', relative('test/bench', entry)).replace(/\.ts$/, '.js'),
  );
}
