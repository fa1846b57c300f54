import type { DiagnosticKind, FileStatus, PatchDiagnostic, PatchFile, PatchHunk, TextSource } from './model';
import { parseHunkHeader, type HunkHeader } from './hunkHeader';
import { Column, type LineTable } from './table';

/** Bits of a hunk's flags. */
export const HunkFlag = { Mismatch: 1, Approximate: 2, Partial: 4 } as const;

/** What is stored of a file; names are final. */
export interface FileRecord {
  readonly oldPath: string | null;
  readonly newPath: string | null;
  readonly status: FileStatus;
  readonly message: number;
  readonly oldMode: string | null;
  readonly newMode: string | null;
  readonly source: LineTable;
  readonly headerLine: number;
}

/**
 * Files and hunks in columns: a patch of 250,000 one-line files must not cost a quarter of a gigabyte.
 * {@link FileView} and {@link HunkView} are made from them when somebody asks.
 */
export class DiffTables {
  private readonly sources: LineTable[] = [];
  private readonly oldPaths: (string | null)[] = [];
  private readonly newPaths: (string | null)[] = [];
  private readonly statuses: FileStatus[] = [];
  private readonly modes = new Map<number, { oldMode: string | null; newMode: string | null }>();
  private readonly fileSource = new Column();
  private readonly fileMessage = new Column();
  private readonly fileLine = new Column();
  private readonly fileHunkEnd = new Column();
  private readonly hunkSource = new Column();
  private readonly hunkHeader = new Column();
  private readonly hunkEnd = new Column();
  private readonly hunkAdded = new Column();
  private readonly hunkRemoved = new Column();
  private readonly hunkFlags = new Column();
  private readonly hunkDepth = new Column();
  readonly diagnostics: PatchDiagnostic[] = [];
  /** Hunks whose body and header disagree: how the reader compares two readings of the same text. */
  faults = 0;

  get fileCount(): number {
    return this.statuses.length;
  }

  get hunkCount(): number {
    return this.hunkHeader.length;
  }

  diagnose(kind: DiagnosticKind, documentLine: number | null, message: string): void {
    this.diagnostics.push({ kind, documentLine, message });
  }

  private sourceIndex(source: LineTable): number {
    const last = this.sources.length - 1;
    if (last >= 0 && this.sources[last] === source) return last;
    const found = this.sources.indexOf(source);
    return found >= 0 ? found : this.sources.push(source) - 1;
  }

  addFile(record: FileRecord): number {
    const index = this.statuses.push(record.status) - 1;
    this.oldPaths.push(record.oldPath);
    this.newPaths.push(record.newPath);
    if (record.oldMode !== null || record.newMode !== null)
      this.modes.set(index, { oldMode: record.oldMode, newMode: record.newMode });
    this.fileSource.push(this.sourceIndex(record.source));
    this.fileMessage.push(record.message);
    this.fileLine.push(record.headerLine);
    this.fileHunkEnd.push(this.hunkCount);
    return index;
  }

  /** Adds a hunk to the last file. */
  addHunk(
    source: LineTable,
    headerLine: number,
    endLine: number,
    added: number,
    removed: number,
    flags: number,
    depth: number,
  ): void {
    this.hunkSource.push(this.sourceIndex(source));
    this.hunkHeader.push(headerLine);
    this.hunkEnd.push(endLine);
    this.hunkAdded.push(added);
    this.hunkRemoved.push(removed);
    this.hunkFlags.push(flags);
    this.hunkDepth.push(depth);
    this.fileHunkEnd.set(this.fileCount - 1, this.hunkCount);
    if (flags & HunkFlag.Mismatch) this.faults++;
  }

  /** Appends everything of `other`. */
  append(other: DiffTables): void {
    let hunk = 0;
    for (let file = 0; file < other.fileCount; file++) {
      this.addFile({ ...other.fileRecord(file) });
      for (; hunk < other.fileHunkEnd.at(file); hunk++) {
        this.addHunk(
          other.sources[other.hunkSource.at(hunk)]!,
          other.hunkHeader.at(hunk),
          other.hunkEnd.at(hunk),
          other.hunkAdded.at(hunk),
          other.hunkRemoved.at(hunk),
          other.hunkFlags.at(hunk),
          other.hunkDepth.at(hunk),
        );
      }
    }
    for (const diagnostic of other.diagnostics) this.diagnostics.push(diagnostic);
  }

  fileRecord(file: number): FileRecord {
    return {
      oldPath: this.oldPaths[file] ?? null,
      newPath: this.newPaths[file] ?? null,
      status: this.statuses[file]!,
      message: this.fileMessage.at(file),
      oldMode: this.modes.get(file)?.oldMode ?? null,
      newMode: this.modes.get(file)?.newMode ?? null,
      source: this.sources[this.fileSource.at(file)]!,
      headerLine: this.fileLine.at(file),
    };
  }

  hunksOf(file: number): PatchHunk[] {
    const hunks: PatchHunk[] = [];
    for (let hunk = file > 0 ? this.fileHunkEnd.at(file - 1) : 0; hunk < this.fileHunkEnd.at(file); hunk++)
      hunks.push(new HunkView(this, hunk));
    return hunks;
  }

  /** One field of a hunk; only {@link HunkView} asks. */
  hunk(hunk: number): {
    source: LineTable;
    headerLine: number;
    endLine: number;
    added: number;
    removed: number;
    flags: number;
    depth: number;
  } {
    return {
      source: this.sources[this.hunkSource.at(hunk)]!,
      headerLine: this.hunkHeader.at(hunk),
      endLine: this.hunkEnd.at(hunk),
      added: this.hunkAdded.at(hunk),
      removed: this.hunkRemoved.at(hunk),
      flags: this.hunkFlags.at(hunk),
      depth: this.hunkDepth.at(hunk),
    };
  }

  files(): PatchFile[] {
    const files: PatchFile[] = new Array<PatchFile>(this.fileCount);
    for (let file = 0; file < files.length; file++) files[file] = new FileView(this, file);
    return files;
  }
}

class FileView implements PatchFile {
  private cached: readonly PatchHunk[] | null = null;

  constructor(
    private readonly tables: DiffTables,
    private readonly index: number,
  ) {}

  get oldPath(): string | null {
    return this.tables.fileRecord(this.index).oldPath;
  }
  get newPath(): string | null {
    return this.tables.fileRecord(this.index).newPath;
  }
  get status(): FileStatus {
    return this.tables.fileRecord(this.index).status;
  }
  get message(): number {
    return this.tables.fileRecord(this.index).message;
  }
  get oldMode(): string | null {
    return this.tables.fileRecord(this.index).oldMode;
  }
  get newMode(): string | null {
    return this.tables.fileRecord(this.index).newMode;
  }
  get documentLine(): number | null {
    const record = this.tables.fileRecord(this.index);
    return record.source.documentLine(record.headerLine);
  }
  get hunks(): readonly PatchHunk[] {
    this.cached ??= this.tables.hunksOf(this.index);
    return this.cached;
  }
}

class HunkView implements PatchHunk {
  readonly source: TextSource;
  readonly headerLine: number;
  readonly firstLine: number;
  readonly endLine: number;
  readonly added: number;
  readonly removed: number;
  readonly depth: number;
  private readonly flags: number;
  private readonly header: HunkHeader;

  constructor(tables: DiffTables, index: number) {
    const hunk = tables.hunk(index);
    this.source = hunk.source;
    this.headerLine = hunk.headerLine;
    this.firstLine = hunk.headerLine + 1;
    this.endLine = hunk.endLine;
    this.added = hunk.added;
    this.removed = hunk.removed;
    this.depth = hunk.depth;
    this.flags = hunk.flags;
    const start = hunk.source.lineStart(hunk.headerLine);
    this.header = parseHunkHeader(hunk.source.text, start, hunk.source.lineEnd(hunk.headerLine))!;
  }

  get oldStart(): number {
    return this.header.oldStarts[0]!;
  }
  get oldLines(): number {
    return this.header.oldCounts[0]!;
  }
  get newStart(): number {
    return this.header.newStart;
  }
  get newLines(): number {
    return this.header.newLines;
  }
  get parents(): number {
    return this.header.oldStarts.length;
  }
  get documentLine(): number | null {
    return this.source.documentLine(this.headerLine);
  }
  get heading(): string {
    return this.source.text.slice(this.header.headingAt, this.source.lineEnd(this.headerLine)).trim();
  }
  get mismatch(): boolean {
    return (this.flags & HunkFlag.Mismatch) !== 0;
  }
  get approximate(): boolean {
    return (this.flags & HunkFlag.Approximate) !== 0;
  }
  get partial(): boolean {
    return (this.flags & HunkFlag.Partial) !== 0;
  }
}
