import { strict as assert } from 'node:assert';
import type { Locator, Page } from 'playwright-core';
import { closeBrowser, openWorkbench, screenshot, type Theme } from './workbench';

const series = '06-model-kernel-series.mbox';
const budget = '07-shootdown-budget';
const title = 'A budget for dropping pages while others run';

/** The row of the view whose text holds `text`. */
const row = (page: Page, text: string): Locator =>
  page.locator('.pane-body .monaco-list-row', { hasText: text }).first();

async function openView(page: Page): Promise<void> {
  await page.locator('.activitybar .action-label[aria-label^="TLBScope"]').first().click();
  await row(page, budget).waitFor({ timeout: 30_000 });
}

/** Runs a command by its name in the palette. */
async function command(page: Page, name: string): Promise<void> {
  await page.keyboard.press('F1');
  await page.locator('.quick-input-widget:visible input').first().fill(`>${name}`);
  await page.locator('.quick-input-list .monaco-list-row', { hasText: name }).first().click();
}

/** Presses the button until it is taken: a list that is drawn anew takes it away from under the pointer. */
async function runBudget(page: Page): Promise<void> {
  const answered = row(page, budget).filter({ hasNotText: 'A budget for dropping' });
  for (let left = 3; left > 0; left--) {
    await row(page, budget).hover();
    await row(page, budget).locator('.action-label[aria-label^="Run Scenario"]').click();
    if (
      await answered.waitFor({ timeout: 10_000 }).then(
        () => true,
        () => false,
      )
    )
      return;
  }
}

describe('scenarios in VS Code', function () {
  this.timeout(180_000);
  after(closeBrowser);

  for (const theme of ['dark', 'light', 'hc-dark', 'hc-light'] as const satisfies readonly Theme[])
    it(`of the patch in the editor are listed, run and give a result in Restricted Mode, ${theme}`, async () => {
      const page = await openWorkbench(theme, series);
      await openView(page);
      await page
        .locator('.codelens-decoration a', { hasText: 'scenarios before and after' })
        .first()
        .waitFor({ timeout: 30_000 });
      assert.match(await row(page, budget).innerText(), /A budget for dropping/);
      await runBudget(page);
      await row(page, '36 of 36 expectations').waitFor({ timeout: 60_000 });
      assert.match(await row(page, budget).innerText(), /safe · [\dk–]+ cy · 36 of 36 expectations/);
      await row(page, budget).locator('.monaco-tl-twistie').click();
      await row(page, 'after, n=10, c=0').waitFor();
      await screenshot(page, `scenarios-${theme}`);
      await page.context().close();
    });

  it('lead into the panel with the run that was chosen', async () => {
    const page = await openWorkbench('dark', series);
    await openView(page);
    await runBudget(page);
    await row(page, '36 of 36 expectations').waitFor({ timeout: 60_000 });
    await row(page, budget).locator('.monaco-tl-twistie').click();
    await row(page, 'after, n=10, c=3').click();
    const panel = page.frameLocator('iframe.webview').frameLocator('iframe');
    await panel.getByText(title).first().waitFor({ timeout: 60_000 });
    // It stands behind a button there.
    await panel
      .getByText('Before and after this patch, on the model kernel')
      .first()
      .waitFor({ state: 'attached' });
    await screenshot(page, 'scenario-in-panel-dark');
    await page.context().close();
  });

  it('all run from the line above the patch', async () => {
    const page = await openWorkbench('dark', series);
    await openView(page);
    await page
      .locator('.codelens-decoration a', { hasText: 'scenarios before and after' })
      .first()
      .click({ timeout: 30_000 });
    await page
      .locator('.statusbar-item', { hasText: 'scenarios are as expected' })
      .waitFor({ timeout: 150_000 });
    // VS Code draws the list a moment after it was told.
    await row(page, 'ways-out').filter({ hasText: ' cy' }).waitFor();
    await screenshot(page, 'scenarios-all-dark');
    const texts = await page.locator('.pane-body .monaco-list-row').allInnerTexts();
    // Each has a verdict and cycles in place of its title.
    assert.ok(
      texts.every(text => / · .* cy/.test(text)),
      texts.join('\n'),
    );
    await page.context().close();
  });

  it('are chosen from a list by the palette alone', async () => {
    const page = await openWorkbench('light', series);
    await page.locator('.codelens-decoration a').first().waitFor({ timeout: 30_000 });
    await command(page, 'TLBScope: Run Scenario');
    const list = page.locator('.quick-input-list .monaco-list-row');
    await list.filter({ hasText: title }).waitFor();
    await screenshot(page, 'scenarios-pick-light');
    await list.filter({ hasText: title }).click();
    await page.locator('.statusbar-item', { hasText: '36 of 36 expectations' }).waitFor({ timeout: 60_000 });
    await page.context().close();
  });

  it('teach when there is nothing to list', async () => {
    const page = await openWorkbench('light', '04-review-reply.txt');
    await page.locator('.activitybar .action-label[aria-label^="TLBScope"]').first().click();
    await page
      .locator('.welcome-view', { hasText: 'Open the Sample Patch' })
      .first()
      .waitFor({ timeout: 30_000 });
    await screenshot(page, 'scenarios-empty-light');
    await page.locator('.welcome-view .monaco-button', { hasText: 'Open the Sample Patch' }).first().click();
    await page.locator('.tab', { hasText: series }).waitFor();
    await row(page, budget).waitFor({ timeout: 30_000 });
    await page.context().close();
  });

  it('are tests in the Test Explorer', async () => {
    // VS Code itself runs no tests in Restricted Mode.
    const page = await openWorkbench('light', '07-shootdown-budget.tlbscope.jsonc', true);
    await page.locator('.codelens-decoration a', { hasText: 'Run' }).first().waitFor({ timeout: 30_000 });
    await screenshot(page, 'scenario-file-light');
    await command(page, 'Test: Run Tests in Current File');
    await page.locator('.activitybar .action-label[aria-label^="Testing"]').first().click();
    await row(page, '07-shootdown-budget').waitFor({ timeout: 60_000 });
    await page
      .locator('.statusbar-item, .test-explorer', { hasText: /42\/42/ })
      .first()
      .waitFor({ timeout: 60_000 });
    await screenshot(page, 'scenario-tests-light');
    await page.context().close();
  });

  it('have a walkthrough of four steps', async () => {
    const page = await openWorkbench('dark', series);
    await page.locator('.codelens-decoration a').first().waitFor({ timeout: 30_000 });
    await command(page, 'Welcome: Open Walkthrough');
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Review a TLB patch' }).click();
    const steps = page.locator('.getting-started-step');
    await steps.nth(3).waitFor({ timeout: 30_000 });
    assert.equal(await steps.count(), 4);
    await screenshot(page, 'walkthrough-dark');
    await steps.nth(2).click();
    await page.locator('.getting-started-media svg, .getting-started-media iframe').first().waitFor();
    await screenshot(page, 'walkthrough-run-dark');
    await page.context().close();
  });

  it('stand beside published tables', async () => {
    const page = await openWorkbench('light', series);
    await page.locator('.codelens-decoration a').first().waitFor({ timeout: 30_000 });
    await command(page, 'TLBScope: Reproduce a Published Table');
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'R1' }).first().click();
    await page.locator('.tab', { hasText: 'Preview R1' }).waitFor({ timeout: 60_000 });
    const preview = page.frameLocator('iframe.webview').frameLocator('iframe');
    const plot = preview.locator('img').first();
    await plot.waitFor({ timeout: 60_000 });
    assert.ok(
      await plot.evaluate(image => (image as HTMLImageElement).naturalWidth > 100),
      'the plot is drawn',
    );
    await screenshot(page, 'published-light');
    await page.context().close();
  });
});
