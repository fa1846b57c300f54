import type { PatchDocument, PatchFile } from './model';

/** The JSON of `tlbscope parse`: the names and meanings are a contract and do not change. */
export interface ParseJson {
  readonly files: readonly FileJson[];
  readonly quoted: readonly FileJson[];
  readonly messages: number;
  readonly diagnostics: readonly {
    readonly kind: string;
    readonly documentLine: number | null;
    readonly message: string;
  }[];
}

export interface FileJson {
  readonly oldPath: string | null;
  readonly newPath: string | null;
  readonly status: string;
  /** 1-based index of the message that changes the file. */
  readonly message: number;
  readonly hunks: readonly HunkJson[];
}

export interface HunkJson {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly added: number;
  readonly removed: number;
  readonly documentLine: number | null;
  readonly partial?: boolean;
  readonly depth?: number;
}

function fileJson(file: PatchFile, quoted: boolean): FileJson {
  return {
    oldPath: file.oldPath,
    newPath: file.newPath,
    status: file.status,
    message: file.message,
    hunks: file.hunks.map(hunk => ({
      oldStart: hunk.oldStart,
      oldLines: hunk.oldLines,
      newStart: hunk.newStart,
      newLines: hunk.newLines,
      added: hunk.added,
      removed: hunk.removed,
      documentLine: hunk.documentLine,
      ...(quoted ? { partial: hunk.partial, depth: hunk.depth } : {}),
    })),
  };
}

/** What `tlbscope parse` prints of a document. */
export function parseJson(document: PatchDocument): ParseJson {
  return {
    files: document.files.map(file => fileJson(file, false)),
    quoted: document.quoted.map(file => fileJson(file, true)),
    messages: document.messages.length,
    diagnostics: document.diagnostics.map(({ kind, documentLine, message }) => ({
      kind,
      documentLine,
      message,
    })),
  };
}
