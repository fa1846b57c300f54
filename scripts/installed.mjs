// A VS Code server with the packaged extension installed, as a user would install it.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from './dependencies.mjs';
import { packageExtension } from './package.mjs';
import { runServerCommand, startServer, writeSettings } from './vscode.mjs';

/**
 * Builds, packages, installs and starts; everything goes below `folder`.
 * @param {string} server folder of `ensureVscode`
 * @param {{folder: string, token?: string, args?: string[]}} options as for `startServer`
 */
export async function startInstalled(server, { folder, token, args = [] }) {
  const dataFolder = join(folder, 'data');
  const extensionsFolder = join(folder, 'extensions');
  const archive = await packageExtension(join(folder, 'tlbscope.vsix'));
  rmSync(extensionsFolder, { recursive: true, force: true });
  const places = ['--extensions-dir', extensionsFolder, '--server-data-dir', dataFolder];
  const installed = runServerCommand(server, ['--install-extension', archive, '--force', ...places]);
  if (!installed.ok) fail(`the extension could not be installed:\n${installed.output}`);
  writeSettings(dataFolder, { 'workbench.startupEditor': 'none', 'telemetry.telemetryLevel': 'off' });
  return startServer(server, { dataFolder, token, args: ['--extensions-dir', extensionsFolder, ...args] });
}
