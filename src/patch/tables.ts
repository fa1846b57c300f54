import type { DiagnosticKind, FileStatus, PatchDiagnostic, PatchFile, PatchHunk, TextSource } from './model';
import { parseHunkHeader, type HunkHeader } from './hunkHeader';
import { Column, type LineTable } from './table';

/** Diagnostics of one kind that are kept: more than anybody reads. */
const MOST_OF_A_KIND = 1000;

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
  /** Offset in the source's text at which the path stands as it is, or -1. */
  readonly oldAt: number;
  readonly newAt: number;
}

const statuses: readonly FileStatus[] = ['modified', 'added', 'deleted', 'renamed', 'copied', 'binary'];

/** Paths as places in the text where they stand in it as they are, which is the rule. */
class PathColumn {
  private readonly from = new Column();
  private readonly size = new Column();
  private readonly others = new Map<number, string>();

  /** Adds `path`, which stands at offset `at` of the text (-1: nowhere as it is). */
  push(path: string | null, at: number): void {
    const index = this.from.length;
    this.from.push(at);
    this.size.push(path === null ? -1 : path.length);
    if (path !== null && at < 0) this.others.set(index, path);
  }

  at(index: number): number {
    return this.from.at(index);
  }

  get(index: number, text: string): string | null {
    const size = this.size.at(index);
    if (size < 0) return null;
    const from = this.from.at(index);
    return from < 0 ? this.others.get(index)! : text.slice(from, from + size);
  }
}

/**
 * Files and hunks in columns: a patch of 250,000 one-line files must not cost a quarter of a gigabyte.
 * {@link FileView} and {@link HunkView} are made from them when somebody asks.
 */
export class DiffTables {
  private readonly sources: LineTable[] = [];
  private readonly oldPaths = new PathColumn();
  private readonly newPaths = new PathColumn();
  private readonly statuses = new Column();
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
  private readonly kindCounts = new Map<DiagnosticKind, number>();

  get fileCount(): number {
    return this.fileLine.length;
  }

  get hunkCount(): number {
    return this.hunkHeader.length;
  }

  /** Adds a diagnostic; of each kind the first thousand are kept, and the number of the others. */
  diagnose(kind: DiagnosticKind, documentLine: number | null, message: string): void {
    const count = (this.kindCounts.get(kind) ?? 0) + 1;
    this.kindCounts.set(kind, count);
    if (count <= MOST_OF_A_KIND) this.diagnostics.push({ kind, documentLine, message });
  }

  /** What is to be reported: the diagnostics kept, and one for each kind of which there were more. */
  reported(): PatchDiagnostic[] {
    const reported = [...this.diagnostics];
    for (const [kind, count] of this.kindCounts) {
      if (count <= MOST_OF_A_KIND) continue;
      const last = this.diagnostics.findLast(diagnostic => diagnostic.kind === kind);
      reported.push({
        kind,
        documentLine: last?.documentLine ?? null,
        message: `${count - MOST_OF_A_KIND} more of this kind are not listed.`,
      });
    }
    return reported;
  }

  private sourceIndex(source: LineTable): number {
    const last = this.sources.length - 1;
    if (last >= 0 && this.sources[last] === source) return last;
    const found = this.sources.indexOf(source);
    return found >= 0 ? found : this.sources.push(source) - 1;
  }

  addFile(record: FileRecord): number {
    const index = this.fileCount;
    this.statuses.push(statuses.indexOf(record.status));
    this.oldPaths.push(record.oldPath, record.oldAt);
    this.newPaths.push(record.newPath, record.newAt);
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
  }

  /** Appends everything of `other`. */
  append(other: DiffTables): void {
    let hunk = 0;
    for (let file = 0; file < other.fileCount; file++) {
      this.addFile(other.fileRecord(file));
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
    for (const { kind, documentLine, message } of other.diagnostics)
      this.diagnose(kind, documentLine, message);
  }

  fileRecord(file: number): FileRecord {
    return {
      oldPath: this.oldPathOf(file),
      newPath: this.newPathOf(file),
      status: this.statusOf(file),
      message: this.fileMessage.at(file),
      oldMode: this.modes.get(file)?.oldMode ?? null,
      newMode: this.modes.get(file)?.newMode ?? null,
      source: this.sources[this.fileSource.at(file)]!,
      headerLine: this.fileLine.at(file),
      oldAt: this.oldPaths.at(file),
      newAt: this.newPaths.at(file),
    };
  }

  hunksOf(file: number): readonly PatchHunk[] {
    const hunks: PatchHunk[] = [];
    for (let hunk = file > 0 ? this.fileHunkEnd.at(file - 1) : 0; hunk < this.fileHunkEnd.at(file); hunk++)
      hunks.push(new HunkView(this, hunk));
    return hunks;
  }

  /** Figures of one hunk, for {@link HunkView}. */
  hunkSourceOf(hunk: number): LineTable {
    return this.sources[this.hunkSource.at(hunk)]!;
  }
  hunkHeaderOf(hunk: number): number {
    return this.hunkHeader.at(hunk);
  }
  hunkEndOf(hunk: number): number {
    return this.hunkEnd.at(hunk);
  }
  hunkAddedOf(hunk: number): number {
    return this.hunkAdded.at(hunk);
  }
  hunkRemovedOf(hunk: number): number {
    return this.hunkRemoved.at(hunk);
  }
  hunkFlagsOf(hunk: number): number {
    return this.hunkFlags.at(hunk);
  }
  hunkDepthOf(hunk: number): number {
    return this.hunkDepth.at(hunk);
  }
  fileMessageOf(file: number): number {
    return this.fileMessage.at(file);
  }
  fileSourceOf(file: number): LineTable {
    return this.sources[this.fileSource.at(file)]!;
  }
  oldPathOf(file: number): string | null {
    return this.oldPaths.get(file, this.fileSourceOf(file).text);
  }
  newPathOf(file: number): string | null {
    return this.newPaths.get(file, this.fileSourceOf(file).text);
  }
  statusOf(file: number): FileStatus {
    return statuses[this.statuses.at(file)]!;
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
    return this.tables.oldPathOf(this.index);
  }
  get newPath(): string | null {
    return this.tables.newPathOf(this.index);
  }
  get status(): FileStatus {
    return this.tables.statusOf(this.index);
  }
  get message(): number {
    return this.tables.fileMessageOf(this.index);
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

/** Two words of memory a hunk; the header is read again when somebody asks for its numbers. */
class HunkView implements PatchHunk {
  constructor(
    private readonly tables: DiffTables,
    private readonly index: number,
  ) {}

  private get header(): HunkHeader {
    const { source, headerLine } = this;
    return parseHunkHeader(source.text, source.lineStart(headerLine), source.lineEnd(headerLine))!;
  }

  get source(): TextSource {
    return this.tables.hunkSourceOf(this.index);
  }
  get headerLine(): number {
    return this.tables.hunkHeaderOf(this.index);
  }
  get firstLine(): number {
    return this.headerLine + 1;
  }
  get endLine(): number {
    return this.tables.hunkEndOf(this.index);
  }
  get added(): number {
    return this.tables.hunkAddedOf(this.index);
  }
  get removed(): number {
    return this.tables.hunkRemovedOf(this.index);
  }
  get depth(): number {
    return this.tables.hunkDepthOf(this.index);
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
    return (this.tables.hunkFlagsOf(this.index) & HunkFlag.Mismatch) !== 0;
  }
  get approximate(): boolean {
    return (this.tables.hunkFlagsOf(this.index) & HunkFlag.Approximate) !== 0;
  }
  get partial(): boolean {
    return (this.tables.hunkFlagsOf(this.index) & HunkFlag.Partial) !== 0;
  }
}
