// Unpacks the parts of Debian's linux-source-6.1 that tests read into .cache (never into the repository).
// node scripts/linux-source.mjs [archive]; prints the folder. Does nothing when the folder is there already.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What the front ends' tests and a tree for `--tree` need; folders with everything below them. */
const wanted = [
  'arch/x86/mm',
  'arch/x86/include',
  'arch/x86/entry',
  'arch/x86/kernel/asm-offsets.c',
  'arch/x86/kernel/asm-offsets_64.c',
  'arch/x86/kernel/paravirt.c',
  'arch/x86/xen/mmu_pv.c',
  'arch/arm64/include/asm',
  'arch/arm64/mm/context.c',
  'include/linux',
  'include/asm-generic',
  'include/uapi/linux',
  'include/uapi/asm-generic',
  'include/vdso',
  'kernel/smp.c',
  'lib/cpumask.c',
  'lib/find_bit.c',
  'lib/llist.c',
  'mm',
];

const archive = process.argv[2] ?? process.env.TLBSCOPE_LINUX_SOURCE ?? '/usr/src/linux-source-6.1.tar.xz';
const target = join(root, '.cache/linux-source-6.1');

if (!existsSync(target)) {
  if (!existsSync(archive)) {
    console.error(`${archive} is not there: install Debian's linux-source-6.1, or name the archive`);
    process.exit(2);
  }
  const partial = `${target}.${process.pid}`;
  mkdirSync(partial, { recursive: true });
  const members = wanted.map(path => `linux-source-6.1/${path}`);
  const tar = spawnSync(
    'tar',
    ['-xJf', resolve(archive), '-C', partial, '--strip-components=1', ...members],
    {
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  if (tar.status !== 0) {
    rmSync(partial, { recursive: true, force: true });
    process.exit(tar.status ?? 1);
  }
  renameSync(partial, target);
}
console.log(target);
