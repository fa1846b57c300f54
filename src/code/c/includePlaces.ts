/** Where a kernel or Xen tree may hold what `#include` names. */
import type { Architecture } from '../configuration';

/** Paths in the tree for an include of `from`, in the order in which they are looked for. */
export function includePlaces(include: string, from: string, architecture: Architecture): string[] {
  const folder = from.slice(0, from.lastIndexOf('/') + 1);
  const arch = architecture === 'other' ? 'x86' : architecture;
  const rest = include.replace(/^asm\//, '');
  const upwards = above(include, folder);
  return [
    `${folder}${include}`,
    `arch/${arch}/include/${include}`,
    `include/${include}`,
    `arch/${arch}/include/uapi/${include}`,
    `include/uapi/${include}`,
    ...(include.startsWith('asm/') ? [`include/asm-generic/${rest}`] : []),
    `xen/include/${include}`,
    `xen/arch/${arch}/include/${include}`,
    `xen/include/asm-${arch}/${rest}`,
    ...(upwards === null ? [] : [upwards]),
  ];
}

/** `../x.h` as seen from a folder. */
function above(include: string, folder: string): string | null {
  if (!include.startsWith('../')) return null;
  const parts = folder.split('/').filter(Boolean);
  let rest = include;
  while (rest.startsWith('../')) {
    parts.pop();
    rest = rest.slice(3);
  }
  return [...parts, rest].join('/');
}
