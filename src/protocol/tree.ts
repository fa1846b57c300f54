/** The worker asks its host for files of a kernel tree, which only the host can read. */
import { isCount, isOneOf, isText, listOf, shape } from './check';
import type { Check } from './check';

/** A file of a tree. */
export interface TreeFile {
  readonly path: string;
  readonly text: string;
}

export interface TreeWorkerMessage {
  readonly type: 'tree';
  readonly id: null;
  /** Number of the request; the answer repeats it. */
  readonly request: number;
  /** Address of the tree, as the analysis was given it. */
  readonly tree: string;
  /** Of each list, the first file that is there; paths in the tree. */
  readonly wanted: readonly (readonly string[])[];
  /** Folders of which the names of files are asked. */
  readonly folders: readonly string[];
}

export interface TreeHostMessage {
  readonly type: 'tree';
  readonly request: number;
  /** For each list of the request: the file, or null where none of them is there or can be read. */
  readonly files: readonly (TreeFile | null)[];
  /** Paths of the files in the folders, without those below. */
  readonly listed: readonly string[];
}

export const treeWorkerMessages: Readonly<Record<TreeWorkerMessage['type'], Check>> = {
  tree: shape({
    id: isOneOf(null),
    request: isCount,
    tree: isText,
    wanted: listOf(listOf(isText)),
    folders: listOf(isText),
  }),
};

const file = shape({ path: isText, text: isText });

export const treeHostMessages: Readonly<Record<TreeHostMessage['type'], Check>> = {
  tree: shape({
    request: isCount,
    files: listOf(value => value === null || file(value)),
    listed: listOf(isText),
  }),
};
