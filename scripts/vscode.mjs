// A real VS Code 1.100 (the server and web workbench inside the npm package code-server, MIT), fetched once.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { cacheFolder, fail, npm } from './dependencies.mjs';

const version = '4.100.3';
const integrity =
  'sha512-q/Fh2DOxCRNhC/WiG/6sAhSKnj7ZACTVBaeeZ+rWjol//0FCbl/qg1ln5ecZ99jYcfqMxZZAyWcN+YBIo0DgpA==';

/** Search needs ripgrep where the server looks for it; everything else works without. */
function linkRipgrep(server) {
  const target = join(server, 'node_modules/@vscode/ripgrep/bin/rg');
  if (existsSync(target) || process.platform === 'win32') return;
  const found = spawnSync('sh', ['-c', 'command -v rg'], { encoding: 'utf8' }).stdout?.trim();
  if (!found) return;
  mkdirSync(join(target, '..'), { recursive: true });
  symlinkSync(found, target);
}

/** Fetches, checks and unpacks the server into `folder`, which appears only when it is complete. */
function fetchServer(folder) {
  console.error(`Fetching VS Code (code-server ${version}, about 42 MB, once) …`);
  mkdirSync(cacheFolder, { recursive: true });
  const draft = mkdtempSync(join(cacheFolder, 'fetch-'));
  if (!npm(['pack', '--silent', '--pack-destination', draft, `code-server@${version}`], draft))
    fail(`could not fetch code-server ${version} from the npm registry: check the network and try again.`);
  const archive = readdirSync(draft).find(name => name.endsWith('.tgz'));
  if (!archive) fail('npm pack left no archive.');
  const digest = createHash('sha512')
    .update(readFileSync(join(draft, archive)))
    .digest('base64');
  if (`sha512-${digest}` !== integrity)
    fail('the fetched code-server archive is not the one this project knows.');
  if (spawnSync('tar', ['-xzf', archive], { cwd: draft, stdio: 'inherit' }).status !== 0)
    fail('could not unpack the code-server archive: is tar installed?');
  rmSync(join(draft, archive));
  const server = join(draft, 'package/lib/vscode');
  // No install scripts: the native modules are not needed, what is missing is only logged.
  if (!npm(['install', '--silent', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'], server))
    fail('could not install the packages of the VS Code server: check the network and try again.');
  rmSync(folder, { recursive: true, force: true });
  renameSync(draft, folder);
}

/** The folder that holds `out/server-main.js`; fetched when it is not in the cache. */
export function ensureVscode() {
  const folder = join(cacheFolder, `code-server-${version}`);
  const server = join(folder, 'package/lib/vscode');
  if (!existsSync(join(server, 'out/server-main.js'))) fetchServer(folder);
  linkRipgrep(server);
  return server;
}

/** A TCP port of 127.0.0.1 that was free a moment ago. */
const freePort = () =>
  new Promise((done, failed) => {
    const probe = net.createServer();
    probe.on('error', failed);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => done(port));
    });
  });

/** Written before the server starts: settings of the machine scope. */
export function writeSettings(dataFolder, settings) {
  const folder = join(dataFolder, 'data/Machine');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings, null, 2));
}

/** No gallery: the workbench would call it otherwise. */
const environment = {
  ...process.env,
  EXTENSIONS_GALLERY: '{"serviceUrl":"","itemUrl":"","resourceUrlTemplate":""}',
};

/** Runs the server's own command line once (for `--install-extension`). */
export function runServerCommand(server, args) {
  const run = spawnSync(process.execPath, ['out/server-main.js', '--accept-server-license-terms', ...args], {
    cwd: server,
    env: environment,
    encoding: 'utf8',
  });
  return { ok: run.status === 0, output: `${run.stdout}${run.stderr}` };
}

/**
 * Starts the server on loopback and waits until it listens.
 * @param {string} server folder of {@link ensureVscode}
 * @param {{dataFolder: string, token?: string, args?: string[]}} options `token` is required for anything but tests
 * @returns {Promise<{port: number, process: import('node:child_process').ChildProcess, stop(): Promise<void>}>}
 */
export async function startServer(server, { dataFolder, token, args = [] }) {
  const port = await freePort();
  mkdirSync(dataFolder, { recursive: true });
  const access = ['--without-connection-token'];
  if (token) {
    // A file, because arguments can be read by every user of the machine.
    const file = join(dataFolder, 'token');
    writeFileSync(file, token, { mode: 0o600 });
    access.splice(0, 1, '--connection-token-file', file);
  }
  const child = spawn(
    process.execPath,
    [
      'out/server-main.js',
      ...['--host', '127.0.0.1', '--port', String(port), ...access],
      ...['--accept-server-license-terms', '--disable-telemetry', '--server-data-dir', dataFolder, ...args],
    ],
    { cwd: server, env: environment, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const ended = new Promise(done => child.once('exit', done));
  const killAtExit = () => child.kill('SIGKILL');
  process.once('exit', killAtExit);
  let log = '';
  await new Promise((ready, failed) => {
    const listen = data => {
      log += String(data);
      if (log.includes('listening')) ready();
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    child.once('error', failed);
    child.once('exit', code => failed(new Error(`the VS Code server ended with ${code}:\n${log}`)));
  });
  return {
    port,
    process: child,
    ended,
    async stop() {
      process.removeListener('exit', killAtExit);
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await ended;
      clearTimeout(late);
    },
  };
}
