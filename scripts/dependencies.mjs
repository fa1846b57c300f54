// Installs the packages of package-lock.json when they are not there yet. Uses Node's own modules only: it runs first.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Where everything lives that is fetched once: git ignores it. */
export const cacheFolder = join(root, '.cache');

/** Ends the process with one clear line. */
export function fail(message) {
  console.error(`tlbscope: ${message}`);
  process.exit(1);
}

/** Runs npm with these arguments in `cwd`, output to the terminal's stderr; returns whether it succeeded. */
export function npm(args, cwd = root) {
  // npm's own script when npm started us, so that Windows needs no shell.
  const script = process.env.npm_execpath;
  const viaNode = script?.endsWith('.js') === true;
  const run = viaNode
    ? spawnSync(process.execPath, [script, ...args], { cwd, stdio: ['ignore', 2, 2] })
    : spawnSync('npm', args, { cwd, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
  return run.status === 0;
}

/** The version rule of `engines.node`, checked here so that an old Node gets a sentence and not a stack trace. */
function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const fine = (major === 20 && minor >= 19) || (major === 22 && minor >= 13) || major >= 24;
  if (!fine) fail(`Node ${process.versions.node} is too old: install Node 20.19, 22.13, 24 or newer.`);
}

/** True when node_modules holds the versions that the lock file names; npm keeps its own list of what it installed. */
function installed() {
  const list = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(list)) return false;
  const packages = path => JSON.parse(readFileSync(path, 'utf8')).packages;
  const there = packages(list);
  return Object.entries(packages(join(root, 'package-lock.json'))).every(
    ([path, { version, optional, peer }]) =>
      path === '' || optional || peer || there[path]?.version === version,
  );
}

/** `npm ci`, unless what is installed is already what the lock file says. */
export function ensureDependencies() {
  checkNode();
  if (installed()) return;
  console.error('Installing dependencies (npm ci) …');
  if (!npm(['ci', '--no-audit', '--no-fund'])) fail('npm ci failed: see its messages above.');
}
