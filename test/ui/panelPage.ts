/** The page of the state panel inside a workbench, and what is looked at in it. */
import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Frame, Page } from 'playwright-core';

const require = createRequire(join(process.cwd(), 'package.json'));

/** Runs a command of the palette by its whole title. */
export async function runCommand(page: Page, title: string): Promise<void> {
  await page.keyboard.press('F1');
  const input = page.locator('.quick-input-widget input');
  await input.waitFor();
  await input.fill(`>${title}`);
  await page.locator('.quick-input-list .monaco-list-row', { hasText: title }).first().waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
}

/** The frame that holds the page; a page that was hidden comes back as another one. */
export async function panelFrame(page: Page): Promise<Frame> {
  const end = performance.now() + 30_000;
  while (performance.now() < end) {
    for (const frame of page.frames()) {
      const found = await frame
        .locator('body > .page > main:not(:has-text("Loading"))')
        .count()
        .catch(() => 0);
      if (found > 0) return frame;
    }
    await page.waitForTimeout(100);
  }
  throw new Error('the panel did not appear');
}

/** Opens the panel in a tab and runs a scenario of its list. */
export async function runInPanel(page: Page, scenario: string): Promise<Frame> {
  await runCommand(page, 'TLBScope: Show the TLB State in a Tab');
  const frame = await panelFrame(page);
  await frame.locator('.library vscode-button', { hasText: scenario }).first().click();
  await frame.locator('.results .run').first().waitFor({ timeout: 60_000 });
  return frame;
}

/** What the line above the timeline says. */
export const now = (frame: Frame): Promise<string> => frame.locator('.now').innerText();

/** Presses a key in the timeline so often. */
export async function press(page: Page, frame: Frame, key: string, times = 1): Promise<void> {
  await frame.locator('#timeline').focus();
  for (let time = 0; time < times; time++) await page.keyboard.press(key);
}

export async function openPart(frame: Frame, name: string): Promise<void> {
  await frame.locator('vscode-panel-tab', { hasText: name }).click();
  await frame.locator(`vscode-panel-view:not([hidden]) .tab`).waitFor();
}

/** What axe finds wrong in the page as it is shown now. */
export async function axeFindings(frame: Frame): Promise<string[]> {
  await frame.evaluate(readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8'));
  const findings: unknown = await frame.evaluate(`
    axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map(({ html, failureSummary }) => html.slice(0, 140) + ' ' + failureSummary).join(' | ')))
  `);
  assert.ok(Array.isArray(findings));
  return findings.map(String);
}

/** Collects what the content security policy has stopped, and errors of scripts. */
export function watchProblems(page: Page): string[] {
  const problems: string[] = [];
  page.on('console', message => {
    if (/Content Security Policy|Uncaught/.test(message.text())) problems.push(message.text());
  });
  page.on('pageerror', error => problems.push(error.message));
  return problems;
}
