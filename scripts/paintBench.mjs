// How long after a patch's text its hints are on the screen, in a real VS Code: node scripts/paintBench.mjs [file].
// Prints the first opening in a window (activation and worker start included) and the warm ones.
/* global document, requestAnimationFrame */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { browserFlags, ensureBrowser } from './browser.mjs';
import { ensureDependencies, root } from './dependencies.mjs';
import { ensureVscode } from './vscode.mjs';

ensureDependencies();
const { startInstalled } = await import('./installed.mjs');
const { chromium } = await import('playwright-core');

const rounds = 20;
const folder = mkdtempSync(join(tmpdir(), 'tlbscope-paint-'));
const workspace = join(folder, 'workspace');
cpSync(join(root, 'examples'), workspace, { recursive: true });
// About 55 kB: the size of a list thread with a series and its replies.
const sample = readFileSync(process.argv[2] ?? join(root, 'examples/01-user-flush-deferred.patch'), 'utf8');
const diff = sample.slice(sample.indexOf('diff --git'));
const thread = sample.length > 50_000 ? sample : diff.repeat(Math.ceil(55_000 / diff.length));
for (let round = 0; round <= rounds; round++)
  // Each a text of its own: one that was read before would be a look-up.
  writeFileSync(
    join(workspace, `thread-${String(round).padStart(2, '0')}.patch`),
    `Round ${round}\n\n${thread}`,
  );

const running = await startInstalled(ensureVscode(), { folder, args: ['--disable-workspace-trust'] });
const browser = await chromium.launch({ executablePath: ensureBrowser(), args: browserFlags });
const page = await browser.newPage({ viewport: { width: 1400, height: 1300 } });
const query = new URLSearchParams({ folder: workspace, payload: JSON.stringify([['skipWelcome', 'true']]) });
await page.goto(`http://127.0.0.1:${running.port}/?${query}`);
await page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'thread-00' }).waitFor();

/** Time from the frame that shows the text to the frame that shows the first hint, in milliseconds. */
async function openAndMeasure(name) {
  const measured = page.evaluate(
    wanted =>
      new Promise(done => {
        let text = 0;
        const look = () => {
          const now = performance.now();
          const tab = document.querySelector('.tab.active')?.textContent ?? '';
          const lines = document.querySelector('.editor-instance .view-lines')?.textContent ?? '';
          if (!text && tab.includes(wanted) && lines.length > 200) text = now;
          if (text && /\d[ \u00a0]cy/.test(lines)) done(now - text);
          else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      }),
    name,
  );
  await page.locator('.explorer-folders-view .monaco-list-row', { hasText: name }).click();
  return measured;
}

const times = [];
for (let round = 0; round <= rounds; round++) {
  times.push(await openAndMeasure(`thread-${String(round).padStart(2, '0')}`));
  await page.keyboard.press('Control+F4');
  await page.waitForTimeout(300);
}
const [first, ...warm] = times;
warm.sort((a, b) => a - b);
const at = share => warm[Math.min(warm.length - 1, Math.floor(share * warm.length))];
console.log(`Text to hints, ${(thread.length / 1000).toFixed(0)} kB: first ${first.toFixed(0)} ms`);
console.log(`warm: median ${at(0.5).toFixed(0)} ms, p95 ${at(0.95).toFixed(0)} ms (${rounds} openings)`);
await browser.close();
await running.stop();
rmSync(folder, { recursive: true, force: true });
process.exit(0);
