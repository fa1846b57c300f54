// What the packaged extension consists of, copied to a folder: for tests inside VS Code.
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './bundles.mjs';

/** Copies to `target`; with `web` the package.json has no `main`, which puts it into the browser extension host. */
export function copyExtension(target, { web = false } = {}) {
  mkdirSync(target, { recursive: true });
  for (const part of ['package.json', 'dist', 'media', 'schemas', 'examples'])
    if (existsSync(join(root, part))) cpSync(join(root, part), join(target, part), { recursive: true });
  if (!web) return target;
  const path = join(target, 'package.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  delete manifest.main;
  // It prefers the server's host, which this copy must not run in.
  delete manifest.extensionKind;
  writeFileSync(path, JSON.stringify(manifest));
  return target;
}
