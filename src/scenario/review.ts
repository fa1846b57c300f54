/** The patch under review and a kernel tree: whether a scenario can run before and after it, and if not, why. */
import { patchesOf } from '../cost/series';
import { applyToTree, type FileTree } from '../patch/apply';
import type { PatchDocument, PatchFile } from '../patch/model';

/** Whether the patch applies to a tree. */
export type Review =
  | {
      readonly applies: true;
      /** Paths of the tree that it changes. */
      readonly touched: readonly string[];
    }
  | {
      readonly applies: false;
      /** One line. */
      readonly reason: string;
      /** 1-based line of the document; null where the reason is about none. */
      readonly line: number | null;
    };

/** The files of the newest version of each patch of a document, in the order in which they apply. */
export function newestFiles(document: PatchDocument): PatchFile[] {
  return patchesOf(document).flatMap(({ files, supersededBy, supersededFiles }) =>
    supersededBy === null ? files.filter(file => !supersededFiles.has(file)) : [],
  );
}

/** Tries the patch on a tree. Never throws. */
export function reviewOn(tree: FileTree, files: readonly PatchFile[]): Review {
  if (files.length === 0) return { applies: false, reason: 'it changes no files', line: null };
  const applied = applyToTree(tree, files);
  if (!applied.ok)
    return { applies: false, reason: `${applied.path}: ${applied.reason}`, line: applied.documentLine };
  return { applies: true, touched: [...new Set(applied.touched)] };
}
