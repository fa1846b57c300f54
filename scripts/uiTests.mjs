// Screenshots and checks of the packaged extension in a real VS Code: test/ui, pictures in artifacts/ui.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBrowser } from './browser.mjs';
import { buildTracingPage, root } from './bundles.mjs';
import { startInstalled } from './installed.mjs';
import { ensureVscode } from './vscode.mjs';

const themes = {
  dark: 'Default Dark Modern',
  light: 'Default Light Modern',
  'hc-dark': 'Default High Contrast',
  'hc-light': 'Default High Contrast Light',
};

const browser = ensureBrowser();
const server = ensureVscode();
const folder = mkdtempSync(join(tmpdir(), 'tlbscope-ui-'));
// One workspace for each theme: it is a setting that a workspace may make.
for (const [name, theme] of Object.entries(themes)) {
  cpSync(join(root, 'examples'), join(folder, name), { recursive: true });
  mkdirSync(join(folder, name, '.vscode'));
  writeFileSync(
    join(folder, name, 'readme.patch'),
    '--- a/README\n+++ b/README\n@@ -1 +1 @@\n-Old.\n+New.\n',
  );
  writeFileSync(
    join(folder, name, '.vscode/settings.json'),
    JSON.stringify({ 'workbench.colorTheme': theme }),
  );
}
cpSync(join(root, 'test/ui/workspace'), join(folder, 'unsafe'), { recursive: true });
// And one whose scenarios are called what nobody should believe.
mkdirSync(join(folder, 'hostile'));
JSON.parse(readFileSync(join(root, 'test/ui/hostile.json'), 'utf8')).forEach((title, at) => {
  const scenario = {
    ...{ title, about: title, kernel: 'linux', cpus: 1, spaces: { a: { pages: 2 } } },
    tasks: [{ cpu: 0, warm: 1, steps: [{ touch: {} }] }],
  };
  const number = String(at).padStart(2, '0');
  writeFileSync(join(folder, 'hostile', `${number}.tlbscope.jsonc`), JSON.stringify(scenario));
});
const running = await startInstalled(server, { folder });
await buildTracingPage();
mkdirSync(join(root, 'artifacts/ui'), { recursive: true });
const run = spawnSync(process.execPath, [join(root, 'scripts/unit.mjs'), process.argv[2] ?? 'test/ui'], {
  stdio: 'inherit',
  cwd: root,
  env: {
    ...process.env,
    TLBSCOPE_UI_BROWSER: browser,
    TLBSCOPE_UI_PORT: String(running.port),
    TLBSCOPE_UI_WORKSPACES: folder,
  },
});
await running.stop();
rmSync(folder, { recursive: true, force: true });
process.exit(run.status ?? 1);
