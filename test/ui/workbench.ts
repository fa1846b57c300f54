/** One window of a real VS Code, driven from outside by a browser. scripts/uiTests.mjs sets the environment. */
import { chromium, type Browser, type Locator, type Page } from 'playwright-core';
import { join } from 'node:path';

const setting = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run node scripts/uiTests.mjs`);
  return value;
};

const flags = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync'],
];

let browser: Promise<Browser> | undefined;

export const openBrowser = (): Promise<Browser> =>
  (browser ??= chromium.launch({ executablePath: setting('TLBSCOPE_UI_BROWSER'), args: flags }));

export async function closeBrowser(): Promise<void> {
  await (await browser)?.close();
  browser = undefined;
}

export type Theme = 'dark' | 'light' | 'hc-dark' | 'hc-light';

/** VS Code with `file` of the examples open; the question whether to trust the folder is answered. */
export async function openWorkbench(
  theme: Theme | 'hostile' | 'unsafe',
  file: string,
  trust = false,
): Promise<Page> {
  const context = await (await openBrowser()).newContext({ viewport: { width: 1400, height: 1500 } });
  const page = await context.newPage();
  const port = setting('TLBSCOPE_UI_PORT');
  const folder = join(setting('TLBSCOPE_UI_WORKSPACES'), theme);
  const payload = [
    ['openFile', `vscode-remote://127.0.0.1:${port}${join(folder, file)}`],
    ['skipWelcome', 'true'],
  ];
  const query = new URLSearchParams({ folder, payload: JSON.stringify(payload) });
  await page.goto(`http://127.0.0.1:${port}/?${query.toString()}`);
  await page.locator('.monaco-workbench').waitFor({ timeout: 60_000 });
  const answer = trust ? 'Yes, I trust the authors' : "No, I don't trust the authors";
  await page.getByRole('button', { name: answer }).click({ timeout: 20_000 });
  await page.locator('.editor-instance .view-line').first().waitFor({ timeout: 30_000 });
  return page;
}

export const screenshot = (page: Page, name: string): Promise<Buffer> =>
  page.screenshot({ path: join('artifacts/ui', `${name}.png`) });

/** Texts of the hints in view, in order of their lines. */
export async function hintTexts(page: Page): Promise<string[]> {
  const lines = page.locator('.editor-instance .view-line');
  const placed = await lines.evaluateAll(elements =>
    elements
      .map(element => ({ top: parseFloat((element as HTMLElement).style.top), text: element.textContent }))
      .sort((x, y) => x.top - y.top),
  );
  return placed.flatMap(({ text }) => {
    const plain = text.replace(/[\s\u200b\u200c]+/g, ' ').trim();
    const start = /[+\u2212]?(?:n·)?[A-Z][A-Z0-9_]{3,} [\u2212\d]\S* cy/.exec(plain)?.index;
    return start === undefined ? [] : [plain.slice(start)];
  });
}

/** All of the status bar. */
export const statusText = (page: Page): Promise<string> => page.locator('.statusbar').innerText();

/** Texts of the lenses in view. */
export const lensTexts = (page: Page): Promise<string[]> =>
  page.locator('.codelens-decoration a').allInnerTexts();

/** Resolves when what fades in is all there. */
export const faded = (element: Locator): Promise<unknown> =>
  element.evaluate(node => Promise.all(node.getAnimations({ subtree: true }).map(one => one.finished)));
