// `npm start`: the packaged extension on the project's own examples, in a real VS Code in the user's browser.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { cacheFolder, ensureDependencies, fail, root } from './dependencies.mjs';
import { ensureVscode } from './vscode.mjs';

/** Opens the address in the user's browser, if there is one; silence otherwise, the address is printed anyway. */
function openBrowser(address) {
  const linuxWithoutScreen =
    process.platform === 'linux' && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY;
  if (linuxWithoutScreen || process.env.TLBSCOPE_NO_BROWSER) return;
  const [command, ...args] = {
    darwin: ['open', address],
    win32: ['rundll32', 'url.dll,FileProtocolHandler', address],
  }[process.platform] ?? ['xdg-open', address];
  const child = spawn(command, args, { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}

ensureDependencies();
const server = ensureVscode();
console.error('Building and packaging the extension …');
const { startInstalled } = await import('./installed.mjs');

// Without the token any web page the user has open could drive this server.
const token = randomBytes(24).toString('hex');
const running = await startInstalled(server, {
  folder: join(cacheFolder, 'start'),
  token,
  // Only the project's own examples are opened here, so the question whether to trust them is left out.
  args: ['--disable-workspace-trust'],
});
const first = join(root, 'examples/01-user-flush-deferred.patch');
const remote = `vscode-remote://127.0.0.1:${running.port}${first}`;
const query = new URLSearchParams({
  tkn: token,
  folder: join(root, 'examples'),
  payload: JSON.stringify([
    ['openFile', remote],
    ['skipWelcome', 'true'],
  ]),
});
const address = `http://127.0.0.1:${running.port}/?${query}`;
console.log(`
TLBScope is running in VS Code at

  ${address}

What to look at first (examples/01-user-flush-deferred.patch opens by itself):
  - above each hunk that touches TLB code: what it adds and takes away, and what that costs;
  - at the end of a line: the operations the line performs; hover it for the reason and the sources;
  - TLBScope in the activity bar, with 06-model-kernel-series.mbox open: scenarios, run before and after the series;
  - in the outline: mail, file, hunk; in the status bar, at the right: the machine. Click it to choose another.

This address works on this computer only, and only with its token. Ctrl-C ends it.
`);
openBrowser(address);

let ending = false;
const end = async () => {
  if (ending) return;
  ending = true;
  console.log('\nEnding …');
  await running.stop();
  process.exit(0);
};
process.on('SIGINT', end);
process.on('SIGTERM', end);
await running.ended;
if (!ending) fail('the VS Code server has ended by itself.');
