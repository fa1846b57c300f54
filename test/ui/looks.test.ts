import { strict as assert } from 'node:assert';
import type { Page } from 'playwright-core';
import {
  closeBrowser,
  faded,
  hintTexts,
  lensTexts,
  openWorkbench,
  screenshot,
  statusText,
  type Theme,
} from './workbench';

const deferral = '01-user-flush-deferred.patch';

/** Waits until the code of the patch has been read: its total stands above the mail. */
const read = (page: Page): Promise<void> =>
  page.locator('.codelens-decoration a', { hasText: 'Σ' }).first().waitFor({ timeout: 30_000 });

describe('the extension in VS Code', function () {
  this.timeout(120_000);
  after(closeBrowser);

  for (const theme of ['dark', 'light', 'hc-dark', 'hc-light'] as const satisfies readonly Theme[])
    it(`shows hints and verdicts in Restricted Mode, ${theme}`, async () => {
      const page = await openWorkbench(theme, deferral);
      await page.locator('.codelens-decoration a').nth(1).waitFor({ timeout: 30_000 });
      await page.getByText('Restricted Mode').first().waitFor();
      await read(page);
      assert.deepEqual(await lensTexts(page), [
        'Σ ▼ TLB of this patch: +n·INVLPG −n·INVPCID_ADDR +LFENCE → −1376 cy (−2096 to −650) at n=10',
        '▲ TLB: +n·INVLPG +LFENCE → 1204 cy (904–1630) at n=10',
        '▼ TLB: −n·INVPCID_ADDR → −2580 cy (−3000 to −2280) at n=10',
      ]);
      assert.deepEqual(await hintTexts(page), [
        'CR3_NOFLUSH 90–250 cy',
        '+n·INVLPG 900–1600 cy at n=10',
        '+LFENCE 4–30 cy',
        '−n·INVPCID_ADDR 2280–3000 cy at n=10',
      ]);
      assert.match(await statusText(page), /TLB: Broadwell-EP/);
      await screenshot(page, `hints-${theme}`);
      // The explanation, as a click on the verdict shows it.
      await page.locator('.codelens-decoration a', { hasText: 'INVPCID_ADDR → −2580' }).click();
      const hover = page.locator('.monaco-hover').filter({ hasText: 'How it was counted' });
      await hover.waitFor();
      await faded(hover);
      await screenshot(page, `explanation-${theme}`);
      await page.context().close();
    });

  it('lists messages, files and hunks in the outline', async () => {
    const page = await openWorkbench('dark', '02-series.mbox');
    await page.locator('.codelens-decoration a').first().waitFor({ timeout: 30_000 });
    await page.keyboard.press('Control+Shift+O');
    await page.locator('.quick-input-list .monaco-list-row').nth(5).waitFor();
    await screenshot(page, 'symbols-dark');
    const rows = await page.locator('.quick-input-list .monaco-list-row').allInnerTexts();
    assert.ok(rows.some(row => row.includes('[PATCH v2 2/2] x86/tq: Flush everything')));
    assert.ok(rows.some(row => row.includes('arch/x86/mm/tq_flush.c')));
    await page.context().close();
  });

  it('explains a line at its hint', async () => {
    const page = await openWorkbench('light', deferral);
    await page.locator('.codelens-decoration a').nth(1).waitFor({ timeout: 30_000 });
    await read(page);
    await page.locator('.view-line span', { hasText: 'INVPCID_ADDR' }).last().hover();
    const hover = page.locator('.monaco-hover').filter({ hasText: 'Sources of the figures' }).first();
    await hover.waitFor();
    await faded(hover);
    await screenshot(page, 'line-explanation-light');
    await page.context().close();
  });

  it('offers to read a plain text as a patch, and reads it', async () => {
    const page = await openWorkbench('light', '04-review-reply.txt');
    await page.locator('.statusbar-item', { hasText: 'Read as patch' }).waitFor({ timeout: 30_000 });
    await screenshot(page, 'offer-light');
    await page.locator('.statusbar-item', { hasText: 'Read as patch' }).click();
    await page.locator('.codelens-decoration a').nth(1).waitFor({ timeout: 30_000 });
    await screenshot(page, 'reply-light');
    await page.context().close();
  });

  it('opens an encoded part decoded', async () => {
    const page = await openWorkbench('dark', '05-quoted-printable.mbox');
    await page
      .locator('.codelens-decoration a', { hasText: 'Open this part decoded' })
      .click({ timeout: 30_000 });
    await page.locator('.tab', { hasText: 'part 1.patch' }).waitFor();
    await page
      .locator('.codelens-decoration a', { hasText: 'TLBI_ASID_IS' })
      .first()
      .waitFor({ timeout: 30_000 });
    await screenshot(page, 'decoded-dark');
    await page.context().close();
  });

  it('says why there are no hints', async () => {
    const page = await openWorkbench('light', 'readme.patch');
    await page.locator('.statusbar-item', { hasText: 'TLB: no TLB code' }).waitFor({ timeout: 30_000 });
    await screenshot(page, 'no-tlb-code-light');
    await page.context().close();
  });

  // The last one: the server keeps the machine that it chooses.
  it('has a menu behind the status item, and another machine changes the numbers', async () => {
    const page = await openWorkbench('dark', deferral);
    await page.locator('.codelens-decoration a').nth(1).waitFor({ timeout: 30_000 });
    await read(page);
    const before = await hintTexts(page);
    await page.locator('.statusbar-item', { hasText: 'TLB: Broadwell-EP' }).click();
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Machine' }).first().waitFor();
    await screenshot(page, 'menu-dark');
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Machine' }).first().click();
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Zen 4' }).click();
    await page.locator('.statusbar-item', { hasText: 'TLB: Zen 4' }).waitFor();
    // Zen 4 is not affected by Meltdown: without PTI the removed loop does not run, so only this line has a price.
    await page.getByText('INVLPG 600–3500').waitFor();
    await screenshot(page, 'other-machine-dark');
    assert.notDeepEqual(await hintTexts(page), before);
    await page.context().close();
  });
});
