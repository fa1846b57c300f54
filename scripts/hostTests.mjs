// Runs test/host inside a real VS Code: node scripts/hostTests.mjs [node|web]…  (both without an argument).
// `web` means the browser extension host: an extension that has a `main` would stay in the Node one, so it runs a
// copy whose package.json has none.
import { appendFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { browserFlags, ensureBrowser } from './browser.mjs';
import { buildHostTests, buildProduct, root } from './bundles.mjs';
import { copyExtension } from './extensionCopy.mjs';
import { ensureVscode, startServer } from './vscode.mjs';

const limit = 240_000;
const totalsMark = 'TLBSCOPE-TOTALS ';

/** Runs one host; resolves to its totals. */
async function runHost(kind, server, chromium, executablePath) {
  const folder = mkdtempSync(join(tmpdir(), 'tlbscope-host-'));
  const extension = copyExtension(join(folder, 'extension'), { web: kind === 'web' });
  const workspace = join(folder, 'workspace');
  cpSync(join(root, 'test/host/workspace'), workspace, { recursive: true });
  cpSync(join(root, 'examples'), join(workspace, 'examples'), { recursive: true });
  const running = await startServer(server, { dataFolder: join(folder, 'data') });
  const browser = await chromium.launch({ executablePath, args: browserFlags });
  let totals;
  try {
    const page = await browser.newPage();
    const ended = new Promise(done => {
      void page.exposeFunction('codeAutomationExit', done);
      void page.exposeFunction('codeAutomationLog', (_type, args) => {
        const text = args.join(' ');
        if (text.startsWith(totalsMark)) totals = JSON.parse(text.slice(totalsMark.length));
        else if (/^ {2}/.test(text)) console.log(text);
        else if (process.env.TLBSCOPE_VERBOSE) console.log(`[host] ${text}`);
      });
    });
    const remote = path => `vscode-remote://127.0.0.1:${running.port}${path}`;
    const entry = join(extension, `dist/test/host/${kind}.js`);
    const payload = [
      ['extensionDevelopmentPath', remote(extension)],
      ['extensionTestsPath', remote(entry)],
      ['skipWelcome', 'true'],
    ];
    const query = new URLSearchParams({ folder: workspace, payload: JSON.stringify(payload) });
    await page.goto(`http://127.0.0.1:${running.port}/?${query}`);
    let timer;
    const late = new Promise(done => (timer = setTimeout(() => done('late'), limit)));
    if ((await Promise.race([ended, late])) === 'late')
      console.error(`The ${kind} extension host did not end within ${limit / 1000} s.`);
    clearTimeout(timer);
  } finally {
    await browser.close();
    await running.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  return totals ?? { passed: 0, failed: 1, skipped: 0 };
}

const kinds = process.argv.slice(2).length ? process.argv.slice(2) : ['node', 'web'];
const executablePath = ensureBrowser();
const server = ensureVscode();
await buildProduct();
await buildHostTests();
const { chromium } = await import('playwright-core');
let failed = 0;
for (const kind of kinds) {
  console.log(`\n  In VS Code, ${kind === 'web' ? 'browser' : 'Node'} extension host`);
  const totals = await runHost(kind, server, chromium, executablePath);
  console.log(`\n  ${totals.passed} passing, ${totals.failed} failing`);
  if (process.env.TLBSCOPE_TOTALS) appendFileSync(process.env.TLBSCOPE_TOTALS, `${JSON.stringify(totals)}\n`);
  failed += totals.failed;
}
process.exit(failed ? 1 : 0);
