/** What tells the root of a kernel or hypervisor tree, and which of its files may be read. */

/** The setting `tlbscope.kernelTree`: a path, or one of these. */
export const autoTree = 'auto';
export const noTree = 'none';

/** Whether a folder looks like the root of Linux: `folders` and `files` are the names in it. */
export const looksLikeLinux = (folders: ReadonlySet<string>, files: ReadonlySet<string>): boolean =>
  files.has('Kconfig') && folders.has('arch') && folders.has('mm');

/** Folders below which Xen keeps its architectures. */
export const xenFolder = 'xen';
export const looksLikeXen = (foldersOfXen: ReadonlySet<string>): boolean => foldersOfXen.has('arch');

const mostParts = 40;

/** The folders and the name of a path in a tree; null for one that leads out of it, or is no source file. */
export function partsOf(path: string): string[] | null {
  const parts = path.split('/');
  if (parts.length > mostParts || !/\.(?:[chsS]|inc)$/.test(path)) return null;
  return parts.every(isName) ? parts : null;
}

/** The folders of a folder's path; null for one that leads out of the tree. */
export function foldersOf(path: string): string[] | null {
  if (path === '') return [];
  const parts = path.split('/');
  return parts.length <= mostParts && parts.every(isName) ? parts : null;
}

const isName = (part: string): boolean =>
  part !== '' && part !== '.' && part !== '..' && !/[\\:\0]/.test(part);
