import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeDocument } from '../../../src/patch/decode';
import type { PatchDocument } from '../../../src/patch/model';
import { readPatch } from '../../../src/patch/read';

/** The checkout: tests are run from it. */
export const root = process.cwd();

/** Reads a document given as bytes, as the command line does. */
export function readBytes(bytes: Uint8Array): PatchDocument {
  const { text, firstInvalidLine } = decodeDocument(bytes);
  return readPatch(text, { firstInvalidLine });
}

/** Folders `seeds` of folders beside the checkout. */
function nearbySeeds(): string[] {
  try {
    return readdirSync(join(root, '..')).map(name => join(root, '..', name, 'seeds'));
  } catch {
    return [];
  }
}

/**
 * The real mails the project was born from; they are not in the repository. `TLBSCOPE_SEEDS` names their folder, else it
 * is looked for beside the checkout. Null where they are absent.
 */
export function seedFolder(): string | null {
  const named = process.env['TLBSCOPE_SEEDS'];
  const folders = named === undefined ? nearbySeeds() : [named];
  return folders.find(folder => existsSync(join(folder, seedNames[0]!))) ?? null;
}

export const seedNames = [
  '000_b9f4f634ce77e025.txt',
  '001_e2fe63642ebb31e5.txt',
  '002_ab597cc0a338c2f7.txt',
  '003_aab5fbbcd424bc7c.txt',
  '004_e2414ed3b0ef0da5.txt',
];

export function readSeed(index: number): Uint8Array {
  return readFileSync(join(seedFolder()!, seedNames[index]!));
}
