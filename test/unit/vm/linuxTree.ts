/** Debian's linux-source-6.1 for tests, unpacked by `node scripts/linux-source.mjs`. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { IrModule } from '../../../src/code/ir';
import { indexTree } from '../../../src/code/c/treeIndex';
import { lowerC } from '../../../src/code/lowerC';

const tree = join(process.cwd(), '.cache/linux-source-6.1');

export const hasTree = (): boolean => existsSync(join(tree, 'arch/x86/mm/tlb.c'));

/** Every C and assembly file of the tree. */
export function treeFiles(): Map<string, string> {
  const files = new Map<string, string>();
  const walk = (folder: string): void => {
    for (const name of readdirSync(join(tree, folder))) {
      const path = folder ? `${folder}/${name}` : name;
      if (statSync(join(tree, path)).isDirectory()) walk(path);
      else if (/\.[chS]$/.test(name)) files.set(path, readFileSync(join(tree, path), 'utf8'));
    }
  };
  walk('');
  return files;
}

/** Files of the tree, lowered with what they reach. `paravirt`: with CONFIG_PARAVIRT, as Debian builds it. */
export function lowerTree(paths: readonly string[], paravirt = false): IrModule {
  const index = indexTree(treeFiles(), 'x86');
  const config = new Map([
    ['CONFIG_PARAVIRT', paravirt],
    ['CONFIG_PARAVIRT_XXL', paravirt],
  ]);
  const units = paths.map(path => index.unit(path)!);
  return lowerC(units, { architecture: 'x86', config, index });
}
