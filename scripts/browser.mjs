// A Chromium-like browser for the tests: one that is there, else Playwright's, else Debian's package, else a clear line.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, fail, root } from './dependencies.mjs';

/** Flags that keep it quiet: no sandbox is needed for root in a container, and nothing may call out. */
export const browserFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge'];

const fixedPlaces = {
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  ],
  win32: ['ProgramFiles', 'ProgramFiles(x86)', 'LOCALAPPDATA'].flatMap(variable => {
    const base = process.env[variable];
    return base
      ? [
          join(base, 'Google/Chrome/Application/chrome.exe'),
          join(base, 'Microsoft/Edge/Application/msedge.exe'),
        ]
      : [];
  }),
};

const playwrightFolder = join(cacheFolder, 'browsers');

/** The browser that Playwright has put into the cache, if any. */
function playwrightBrowser() {
  const endings = [
    'chrome-linux64/chrome',
    'chrome-linux/chrome',
    'chrome-win64/chrome.exe',
    'chrome-win/chrome.exe',
  ];
  const apps = ['chrome-mac-arm64', 'chrome-mac-x64', 'chrome-mac'].flatMap(folder => [
    `${folder}/Chromium.app/Contents/MacOS/Chromium`,
    `${folder}/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing`,
  ]);
  if (!existsSync(playwrightFolder)) return [];
  return readdirSync(playwrightFolder)
    .filter(name => name.startsWith('chromium-'))
    .flatMap(name => [...endings, ...apps].map(ending => join(playwrightFolder, name, ending)));
}

/** True when it starts at all: one that lacks a system library is as good as absent. */
const runs = path =>
  existsSync(path) &&
  (process.platform === 'win32' || spawnSync(path, ['--version'], { timeout: 20_000 }).status === 0);

function findBrowser() {
  const chosen = process.env.TLBSCOPE_BROWSER;
  if (chosen) return runs(chosen) ? chosen : fail(`TLBSCOPE_BROWSER names ${chosen}, which does not start.`);
  const onPath = (process.env.PATH ?? '')
    .split(process.platform === 'win32' ? ';' : ':')
    .flatMap(folder => names.map(name => join(folder, name)));
  return [...onPath, ...(fixedPlaces[process.platform] ?? []), ...playwrightBrowser()].find(runs);
}

function fetchWithPlaywright() {
  console.error('No Chrome, Chromium or Edge found: asking Playwright for one …');
  spawnSync(
    process.execPath,
    [join(root, 'node_modules/playwright-core/cli.js'), 'install', '--no-shell', 'chromium'],
    {
      stdio: ['ignore', 2, 2],
      timeout: 300_000,
      env: {
        ...process.env,
        PLAYWRIGHT_BROWSERS_PATH: playwrightFolder,
        PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: '15000',
      },
    },
  );
}

function installDebianPackage() {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  console.error('Installing the package chromium …');
  const apt = args =>
    spawnSync('apt-get', args, {
      stdio: ['ignore', 2, 2],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  apt(['update', '-q']);
  apt(['install', '-y', '-q', '--no-install-recommends', 'chromium']);
}

/** Path of a browser that starts; it may have to be fetched. */
export function ensureBrowser() {
  for (const attempt of [() => undefined, fetchWithPlaywright, installDebianPackage]) {
    attempt();
    const found = findBrowser();
    if (found) return found;
  }
  return fail(
    'no browser for the tests: install Chrome, Chromium or Edge, or set TLBSCOPE_BROWSER to its path.',
  );
}
