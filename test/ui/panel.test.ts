import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import {
  axeFindings,
  now,
  openPart,
  panelFrame,
  press,
  runCommand,
  runInPanel,
  watchProblems,
} from './panelPage';
import { closeBrowser, openWorkbench, screenshot, type Theme } from './workbench';

const series = '06-model-kernel-series.mbox';
const shootdown = 'madvise(DONTNEED) of n pages with c threads';

/** Number of the line at the cursor of the editor that is not the panel. */
const editorLine = (page: Page): Promise<string> =>
  page.locator('.editor-instance .line-numbers.active-line-number').first().innerText();

describe('the state panel in VS Code', function () {
  this.timeout(180_000);
  after(closeBrowser);

  for (const theme of ['dark', 'light', 'hc-dark', 'hc-light'] as const satisfies readonly Theme[])
    it(`runs a scenario before and after the patch, and axe finds nothing, ${theme}`, async () => {
      const page = await openWorkbench(theme, series);
      const problems = watchProblems(page);
      await runCommand(page, 'TLBScope: Show the TLB State in a Tab');
      const empty = await panelFrame(page);
      await empty.locator('.library vscode-button').first().waitFor({ timeout: 30_000 });
      assert.deepEqual(await axeFindings(empty), []);
      await screenshot(page, `panel-empty-${theme}`);

      await empty.locator('.library vscode-button', { hasText: shootdown }).first().click();
      const frame = empty;
      await frame.locator('.results .run').nth(1).waitFor({ timeout: 60_000 });
      assert.match(
        await frame.locator('.results').innerText(),
        /before: ✓ safe · [\d,]+ \([\d,]+ to [\d,]+\) cycles/,
      );
      await press(page, frame, 'ArrowRight', 30);
      await frame.locator('#cpus .row .stale').first().waitFor();
      await frame.locator('#show-entries').click();
      await frame.locator('.entries table').waitFor();
      assert.deepEqual(await axeFindings(frame), []);
      await screenshot(page, `panel-cpus-${theme}`);
      for (const part of ['Events', 'Compare', 'Sweep']) {
        await openPart(frame, part);
        if (part === 'Sweep') {
          await frame.locator('#run-sweep').click();
          await frame.locator('canvas.plot').waitFor({ timeout: 60_000 });
        }
        assert.deepEqual(await axeFindings(frame), [], part);
        await screenshot(page, `panel-${part.toLowerCase()}-${theme}`);
      }
      assert.deepEqual(problems, []);
      await page.context().close();
    });

  it('is stepped forth and back by keys alone, of all CPUs or of one', async () => {
    const page = await openWorkbench('dark', series);
    const frame = await runInPanel(page, shootdown);
    assert.match(await now(frame), /^0 of \d+\. The start of the run\./);
    await press(page, frame, 'ArrowRight', 12);
    const there = await now(frame);
    assert.match(there, /^12 of /);
    await press(page, frame, 'ArrowRight', 5);
    await press(page, frame, 'ArrowLeft', 5);
    assert.equal(await now(frame), there);
    // The next IPI: the first of three that CPU 0 sends.
    await press(page, frame, 'Home');
    await press(page, frame, 'i');
    assert.match(await now(frame), /CPU 0, .*IPI sent to CPU 1/);
    // Only CPU 0.
    await press(page, frame, 'Shift+ArrowRight', 4);
    assert.match(await now(frame), /CPU 0, /);
    await press(page, frame, 'End');
    const [, at, of] = /^(\d+) of (\d+)\./.exec(await now(frame)) ?? [];
    assert.equal(at, of);
    assert.match(await now(frame), /End of the run finished|end of the run/i);
    // There is no stale use to go to.
    await press(page, frame, 's');
    assert.match(await now(frame), /no .*event of that kind: a stale use/i);
    await page.context().close();
  });

  it('marks the line of an event in the patch, and opens one of the kernel', async () => {
    const page = await openWorkbench('light', series);
    const frame = await runInPanel(page, shootdown);
    await press(page, frame, 'f');
    assert.match(await now(frame), /flush INVLPG .*__native_flush_tlb_one_user/);
    await frame.locator('#open-line').click();
    await page.locator('.editor-instance .view-line', { hasText: 'invlpg' }).first().waitFor();
    // `-	asm volatile("invlpg…` of the first patch: the run is the one before it.
    await page.waitForFunction(
      () => document.querySelector('.line-numbers.active-line-number')?.textContent === '35',
    );
    assert.equal(await editorLine(page), '35');
    await screenshot(page, 'panel-line-in-patch-light');
    // A line that no patch shows: in the file of the tree.
    await press(page, frame, 'Home');
    await press(page, frame, 'ArrowRight');
    await frame.locator('#open-line').click();
    await page.locator('.tab', { hasText: 'entry_64.S' }).waitFor();
    await screenshot(page, 'panel-line-in-kernel-light');
    await page.context().close();
  });

  it('shows the same after it was hidden, and after the window was loaded again', async () => {
    const page = await openWorkbench('dark', series);
    const frame = await runInPanel(page, shootdown);
    await press(page, frame, 'ArrowRight', 25);
    await openPart(frame, 'Compare');
    const before = await now(frame);
    await page.locator('.tab', { hasText: series }).click();
    await page.keyboard.press('Control+1');
    await runCommand(page, 'TLBScope: Show the TLB State in a Tab');
    assert.equal(await now(await panelFrame(page)), before);
    // What is kept is written in a quiet moment.
    await page.waitForTimeout(1500);
    // Without the file that the first address asked to open: the editors are those that were open.
    await page.goto(page.url().replace(/&payload=[^&]*/, ''));
    const again = await panelFrame(page);
    await again.locator('.results .run').nth(1).waitFor({ timeout: 60_000 });
    await again.locator('.now', { hasText: /^25 of/ }).waitFor({ timeout: 30_000 });
    assert.equal(await now(again), before);
    await again.locator('#view-compare .bars').waitFor();
    await page.context().close();
  });

  it('shows the whole run at first, also where the panel was opened with its choice', async () => {
    const page = await openWorkbench('light', series);
    await runCommand(page, 'TLBScope: Simulate Scenario');
    const list = page.locator('.quick-input-list .monaco-list-row');
    await list.filter({ hasText: 'madvise(DONTNEED) of n pages, one thread' }).first().click();
    const frame = await panelFrame(page);
    await frame.locator('.results .run').nth(1).waitFor({ timeout: 60_000 });
    const drawn = (): Promise<string> =>
      frame.evaluate(async () => {
        await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
        return document.querySelector<HTMLCanvasElement>('canvas.picture')!.toDataURL();
      });
    const first = await drawn();
    await frame.locator('#zoom-in').click();
    assert.notEqual(await drawn(), first);
    await frame.locator('#zoom-all').click();
    assert.equal(await drawn(), first);
    await page.context().close();
  });

  it('fits into 300 pixels', async () => {
    const page = await openWorkbench('light', series);
    await page.setViewportSize({ width: 640, height: 1300 });
    await runCommand(page, 'View: Toggle Primary Side Bar Visibility');
    const frame = await runInPanel(page, shootdown);
    await press(page, frame, 'ArrowRight', 30);
    await frame.locator('#cpus .row .stale').first().waitFor();
    const wide = await frame.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
    assert.ok(wide[0]! <= wide[1]!, `${wide.join(' of ')} pixels`);
    assert.ok(wide[1]! < 330);
    await screenshot(page, 'panel-narrow-light');
    await page.context().close();
  });

  it('has a view of its own that says what was found unsafe, and where', async () => {
    const page = await openWorkbench('unsafe', 'forgetful.patch');
    await runCommand(page, 'TLBScope: Show the TLB State');
    const frame = await panelFrame(page);
    await frame.locator('.library vscode-button', { hasText: 'A page is used after' }).click();
    await frame.locator('.results .run').nth(1).waitFor({ timeout: 60_000 });
    const results = await frame.locator('.results').innerText();
    assert.match(results, /before: ✓ safe/);
    assert.match(
      results,
      /after: ✗ stale-data .*Breaks 1 of 1 expectations\. stale-data on CPU 0 at 0x7f0000001000/,
    );
    // The run after the patch is stepped, to its first stale use.
    await frame.locator('#side').click();
    await frame.locator('#side vscode-option', { hasText: 'after' }).click();
    await press(page, frame, 's');
    assert.match(await now(frame), /STALE USE stale-data 0x7f0000001000, in world_touch/);
    await screenshot(page, 'panel-view-unsafe');
    await page.context().close();
  });

  it('shows what scenarios are called as text: nothing runs, nothing is asked for', async () => {
    const titles = JSON.parse(readFileSync('test/ui/hostile.json', 'utf8')) as string[];
    assert.equal(titles.length, 30);
    const page = await openWorkbench('hostile', '00.tlbscope.jsonc');
    const outside: string[] = [];
    page.on('request', request => {
      if (request.url().includes('tq.invalid')) outside.push(request.url());
    });
    page.on('dialog', dialog => {
      outside.push(dialog.message());
      void dialog.dismiss();
    });
    await runCommand(page, 'TLBScope: Show the TLB State in a Tab');
    const frame = await panelFrame(page);
    await frame.locator('.library vscode-button').nth(titles.length).waitFor({ timeout: 30_000 });
    const shown = await frame
      .locator('.library vscode-button')
      .evaluateAll(all => all.map(one => one.textContent));
    for (const title of titles) assert.ok(shown.includes(title), title);
    await frame.locator('.library vscode-button').nth(shown.indexOf(titles[0]!)).click();
    await frame.locator('.results .run').first().waitFor({ timeout: 60_000 });
    assert.equal(await frame.locator('h1').textContent(), titles[0]);
    const made = await frame.evaluate(() =>
      [
        ...document.querySelectorAll(
          '.page :is(img, iframe, object, embed, form, video, math, template, a, base, style, script, link)',
        ),
      ].map(one => one.outerHTML),
    );
    assert.deepEqual(made, []);
    await screenshot(page, 'panel-hostile');
    assert.deepEqual(outside, []);
    await page.context().close();
  });

  it('copies a table for a reply, and saves the trace and the picture', async () => {
    const page = await openWorkbench('light', series);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const frame = await runInPanel(page, shootdown);
    await frame.locator('header summary').click();
    await frame.locator('#copy').click();
    await frame.locator('[role=status]', { hasText: 'Copied' }).waitFor();
    const text = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(text, /^> @@ /);
    assert.match(text, /^Scenario madvise-threads\. Before and after this patch/m);
    assert.match(text, /^INVPCID_ADDR +40 +10 /m);
    assert.ok(text.split('\n').every(one => one.length <= 75));
    for (const [id, ending] of [
      ['export-csv', 'csv'],
      ['export-svg', 'svg'],
      ['export-png', 'png'],
    ] as const) {
      await frame.locator(`#${id}`).click();
      await page.waitForFunction(
        wanted =>
          document.querySelector<HTMLInputElement>('.quick-input-widget input')?.value.endsWith(wanted),
        `.${ending}`,
      );
      await page.locator('.quick-input-widget input').press('Enter');
      await frame.locator('[role=status]', { hasText: `.${ending}` }).waitFor({ timeout: 20_000 });
    }
    await page.context().close();
  });
});
