import { BodyReader } from './body';
import { parseHunkHeader, type HunkHeader } from './hunkHeader';
import { LineKind, type FileStatus } from './model';
import { agree, badMode, extendedLines, isBase85, sameFile, type Header } from './fileHeader';
import { gitNames, headerName, stripPrefixes, unquoteName } from './names';
import type { LineTable } from './table';
import { HunkFlag, type DiffTables } from './tables';

/**
 * Finds files and hunks in lines `from` ≤ l < `to` of a text and adds them to `tables`.
 * `depth` > 0 marks a quotation: a hunk cut short there is partial, not at fault. `prose` says that the lines begin
 * with a mail's message, in which diff syntax may stand.
 */
export function scanDiffs(
  table: LineTable,
  from: number,
  to: number,
  tables: DiffTables,
  message: number,
  depth = 0,
  prose = false,
): void {
  new DiffScanner(table, from, to, tables, message, depth, prose).scan();
}

class DiffScanner {
  private readonly text: string;
  private readonly bodies: BodyReader;
  private header: Header | null = null;
  /** A file is open to which a hunk header belongs. */
  private open = false;
  private reportedCombined = false;
  /** In a mail: the prose is over, so that a hunk header without a file is a fault, not a quotation in the message. */
  private inDiff: boolean;
  /** Hunk headers in prose: reported only if no file follows them. */
  private orphans: number[] = [];
  /** Hunks of the tables when the last file was added: none after it means an empty one. */
  private hunksBefore = 0;
  /** What is wrong with the last file if no hunk follows its header. */
  private ifEmpty: 'nothing' | 'empty' | 'names differ' = 'nothing';
  private lastLine = 0;
  private strayed = false;
  private indexName: { name: string; line: number } | null = null;

  constructor(
    private readonly table: LineTable,
    private readonly from: number,
    private readonly to: number,
    private readonly tables: DiffTables,
    private readonly message: number,
    private readonly depth: number,
    prose: boolean,
  ) {
    this.inDiff = !prose;
    this.text = table.text;
    this.bodies = new BodyReader(table, to, prose || depth > 0);
  }

  scan(): void {
    const { text, table } = this;
    const { starts } = table;
    for (let line = this.from; line < this.to;) {
      switch (text.charCodeAt(starts[line]!)) {
        case 64 /* @ */:
          line = this.hunk(line);
          break;
        case 45 /* - */:
          line = this.minus(line);
          break;
        case 100 /* d */:
          line = this.letterD(line);
          break;
        case 10:
        case 13:
          if (this.header) this.closeHeader();
          this.strayed = true;
          line++;
          break;
        default:
          line = this.other(line);
      }
    }
    this.closeHeader();
    this.checkLastFile();
    for (const line of this.orphans) this.reportOrphan(line);
    const last = this.to - 1;
    const cut =
      this.table.kind === 'document' && this.to === this.table.lineCount && !this.text.endsWith('\n');
    const kind = this.table.lineKind(last);
    if (cut && kind !== LineKind.Outside && kind !== LineKind.Marker) {
      this.tables.diagnose(
        'no-final-newline',
        this.table.documentLine(last),
        'The document ends in the middle of this line.',
      );
    }
  }

  private reportOrphan(line: number): void {
    if (!this.depth)
      this.tables.diagnose(
        'orphan-hunk',
        this.table.documentLine(line),
        'A hunk header without the header of a file: the hunk is left out.',
      );
  }

  /** A header behind which nothing changes the file: the rest was cut off. */
  private checkLastFile(): void {
    const fault = this.ifEmpty;
    this.ifEmpty = 'nothing';
    if (fault === 'nothing' || this.depth || this.tables.hunkCount > this.hunksBefore) return;
    if (fault === 'empty')
      this.tables.diagnose(
        'empty-file',
        this.table.documentLine(this.lastLine),
        'No change follows the header of this file.',
      );
    else
      this.malformed(
        this.lastLine,
        'The two names of this header differ, and nothing says that the file was renamed.',
      );
  }

  private emptyFault(header: Header): 'nothing' | 'empty' | 'names differ' {
    const complete =
      header.binary || header.added || header.deleted || header.move !== null || header.newMode !== null;
    if (!complete) return 'empty';
    const { names } = header;
    const differ =
      header.style === 'git' &&
      names &&
      !header.move &&
      !header.old &&
      names.oldName.slice(2) !== names.newName.slice(2);
    return differ ? 'names differ' : 'nothing';
  }

  private starts(line: number, word: string): boolean {
    return line < this.to && this.text.startsWith(word, this.table.starts[line]);
  }

  private rest(line: number, length: number): string {
    return this.text.slice(this.table.starts[line]! + length, this.table.lineEnd(line));
  }

  private newHeader(line: number, style: Header['style'], names: Header['names']): Header {
    this.closeHeader();
    this.open = false;
    this.strayed = false;
    this.header = {
      line,
      style,
      names,
      old: null,
      new: null,
      nameLine: -1,
      added: false,
      deleted: false,
      binary: false,
      move: null,
      from: null,
      to: null,
      oldMode: null,
      newMode: null,
      indexMode: null,
      confirmed: style === 'plain',
    };
    return this.header;
  }

  /** `diff …`, `deleted file mode`, `dissimilarity index`. */
  private letterD(line: number): number {
    if (!this.starts(line, 'diff ')) return this.other(line);
    if (this.starts(line, 'diff -')) this.inDiff = true;
    if (this.starts(line, 'diff --git ')) {
      const names = gitNames(this.rest(line, 11));
      if (names) this.newHeader(line, 'git', names);
      else this.malformed(line, 'The names of this header cannot be told apart.');
    } else if (this.starts(line, 'diff --cc ') || this.starts(line, 'diff --combined ')) {
      const raw = this.rest(line, this.starts(line, 'diff --cc ') ? 10 : 16);
      const name = raw.startsWith('"') ? (unquoteName(raw, 0)?.name ?? raw) : raw;
      this.newHeader(line, 'combined', { oldName: name, newName: name });
    } else {
      // diff -urN, diff -r ID: the names come with --- and +++.
      this.closeHeader();
      this.open = false;
    }
    return line + 1;
  }

  private minus(line: number): number {
    if (!this.starts(line, '--- ') || !this.starts(line + 1, '+++ ')) {
      if (
        this.text.startsWith('---', this.table.starts[line]) &&
        this.table.lineEnd(line) === this.table.starts[line]! + 3
      )
        this.inDiff = true;
      const header = this.header;
      if (header && header.style !== 'plain' && header.old === null && this.starts(line, '--- ')) {
        header.old = headerName(this.rest(line, 4));
        header.confirmed = true;
        this.mark(line, 1);
        return line + 1;
      }
      if (header) return this.other(line);
      this.strayed = true;
      return line + 1;
    }
    if (this.header && this.header.old === null && this.header.style !== 'plain') {
      this.header.old = headerName(this.rest(line, 4));
      this.header.new = headerName(this.rest(line + 1, 4));
      this.header.nameLine = line;
      this.header.confirmed = true;
      this.mark(line, 2);
      return line + 2;
    }
    if (!this.starts(line + 2, '@@')) {
      if (this.inDiff) this.malformed(line, 'No hunk follows these names.');
      return line + 2;
    }
    const first = this.indexName && line - this.indexName.line <= 3 ? this.indexName.line : line;
    const header = this.newHeader(first, 'plain', null);
    header.old = headerName(this.rest(line, 4));
    header.new = headerName(this.rest(line + 1, 4));
    header.nameLine = line;
    this.mark(line, 2);
    return line + 2;
  }

  private malformed(line: number, message: string): void {
    if (!this.depth) this.tables.diagnose('malformed-header', this.table.documentLine(line), message);
  }

  private mark(line: number, count: number): void {
    for (let at = line; at < line + count; at++) this.table.kinds[at] = LineKind.FileHeader;
  }

  /** Extended header lines, binary patches, and prose. */
  private other(line: number): number {
    if (this.starts(line, 'Binary files ')) return this.binaryFiles(line);
    if (this.starts(line, 'Index: ')) {
      this.closeHeader();
      this.open = false;
      this.indexName = { name: this.rest(line, 7).trim(), line };
      return line + 1;
    }
    if (this.indexName && this.starts(line, 'Cannot display: file marked as a binary type')) {
      const header = this.newHeader(this.indexName.line, 'plain', null);
      header.old = header.new = { name: this.indexName.name, epoch: false };
      header.binary = true;
      this.closeHeader();
      return line + 1;
    }
    const header = this.header;
    if (!header) {
      this.strayed = true;
      return line + 1;
    }
    if (this.starts(line, 'GIT binary patch')) return this.gitBinary(line, header);
    if (!this.extended(line, header)) {
      this.closeHeader();
      this.strayed = true;
      return line + 1;
    }
    header.confirmed = true;
    this.mark(line, 1);
    return line + 1;
  }

  /** Reads one extended header line of git; false if it is none. */
  private extended(line: number, header: Header): boolean {
    for (const [word, read] of extendedLines) {
      if (!this.starts(line, word)) continue;
      read(header, this.rest(line, word.length));
      return true;
    }
    return false;
  }

  /** `Binary files A and B differ`, with or without a header before it. */
  private binaryFiles(line: number): number {
    const rest = this.rest(line, 13);
    const middle = rest.indexOf(' and ');
    const end = rest.lastIndexOf(' differ');
    if (middle < 0 || end < middle) {
      if (!this.header) return line + 1;
    } else if (!this.header || this.header.style === 'plain') {
      const header = this.newHeader(line, 'plain', null);
      header.old = headerName(rest.slice(0, middle));
      header.new = headerName(rest.slice(middle + 5, end));
    }
    this.header!.binary = true;
    this.header!.confirmed = true;
    this.mark(line, 1);
    this.closeHeader();
    return line + 1;
  }

  /** Skips the base85 data of `GIT binary patch`. */
  private gitBinary(line: number, header: Header): number {
    header.binary = true;
    header.confirmed = true;
    let at = line + 1;
    let blocks = 0;
    let damaged = false;
    while (this.starts(at, 'literal ') || this.starts(at, 'delta ')) {
      blocks++;
      at++;
      const first = at;
      while (at < this.to && isBase85(this.text, this.table.starts[at]!, this.table.lineEnd(at))) at++;
      damaged ||= at === first || at >= this.to || this.table.lineEnd(at) > this.table.starts[at]!;
      if (at < this.to && this.table.lineEnd(at) === this.table.starts[at]!) at++;
    }
    if ((!blocks || damaged) && !this.depth) {
      this.tables.diagnose(
        'truncated-binary',
        this.table.documentLine(line),
        'The data of this binary patch are missing or damaged.',
      );
    }
    this.mark(line, at - line);
    this.closeHeader();
    return at;
  }

  /** Adds the file whose header has been read, if it is one. */
  private closeHeader(first: HunkHeader | null = null): void {
    const header = this.header;
    this.header = null;
    if (!header) return;
    if (!header.confirmed) {
      this.malformed(header.line, 'Nothing of what belongs to the header of a file follows this line.');
      return;
    }
    this.checkLastFile();
    if ((header.old === null) !== (header.new === null))
      this.malformed(header.line, 'Of the two lines that name the file before and after, one is missing.');
    if (
      header.style === 'git' &&
      header.names &&
      !(sameFile(header.old, header.names.oldName) && sameFile(header.new, header.names.newName))
    ) {
      this.malformed(header.line, 'The names of this header disagree.');
    }
    const raw = {
      oldName: header.old?.name ?? header.names?.oldName ?? '',
      newName: header.new?.name ?? header.names?.newName ?? '',
    };
    const { oldName, newName } =
      header.style === 'combined' && header.old === null ? raw : stripPrefixes(raw.oldName, raw.newName);
    if (
      header.move &&
      !(
        header.from !== null &&
        header.to !== null &&
        agree(header.from, header.names?.oldName) &&
        agree(header.to, header.names?.newName)
      )
    ) {
      this.malformed(
        header.line,
        `The lines of this header that say what was ${header.move} are incomplete or disagree.`,
      );
    }
    let oldPath: string | null = header.from ?? oldName;
    let newPath: string | null = header.to ?? newName;
    // A side is missing by /dev/null, by the mode line, or by an epoch time stamp with an empty range.
    if (
      header.added ||
      oldName === '/dev/null' ||
      (header.old?.epoch && (!first || first.oldCounts[0] === 0))
    )
      oldPath = null;
    if (header.deleted || newName === '/dev/null' || (header.new?.epoch && (!first || first.newLines === 0)))
      newPath = null;
    const status: FileStatus = header.binary
      ? 'binary'
      : (header.move ??
        (oldPath === null && newPath !== null
          ? 'added'
          : newPath === null && oldPath !== null
            ? 'deleted'
            : 'modified'));
    this.tables.addFile({
      oldPath,
      newPath,
      status,
      message: this.message,
      oldMode: header.oldMode,
      newMode: header.newMode,
      source: this.table,
      headerLine: header.line,
      oldAt: this.placeOf(header, header.nameLine, header.from, raw.oldName, oldName),
      newAt: this.placeOf(header, header.nameLine + 1, header.to, raw.newName, newName),
    });
    this.table.kinds[header.line] = LineKind.FileHeader;
    this.orphans = [];
    this.inDiff = true;
    this.open = true;
    this.ifEmpty = this.emptyFault(header);
    this.lastLine = header.line;
    this.hunksBefore = this.tables.hunkCount;
    if (badMode(header.oldMode) || badMode(header.newMode) || badMode(header.indexMode)) {
      this.malformed(header.line, 'A file mode of this header is no octal number.');
    }
  }

  /** Offset of a path that was taken from a `---` or `+++` line as it stands there, or -1. */
  private placeOf(header: Header, line: number, moved: string | null, raw: string, name: string): number {
    if (header.nameLine < 0 || moved !== null) return -1;
    const at = this.table.starts[line]! + 4;
    if (this.text.charCodeAt(at) === 34 /* a quoted name */) return -1;
    return at + raw.length - name.length;
  }

  private hunk(line: number): number {
    const start = this.table.starts[line]!;
    if (this.text.charCodeAt(start + 1) !== 64) return this.other(line);
    const header = parseHunkHeader(this.text, start, this.table.lineEnd(line));
    if (!header) {
      if (this.inDiff || this.header?.confirmed)
        this.malformed(line, 'This hunk header cannot be read; its lines are left out.');
      return line + 1;
    }
    if (this.header?.confirmed) this.closeHeader(header);
    if (!this.open) {
      this.header = null;
      if (this.inDiff) this.reportOrphan(line);
      else this.orphans.push(line);
      return line + 1;
    }
    const combined = header.oldStarts.length > 1;
    const body = combined
      ? this.bodies.readCombined(line + 1, header.oldCounts, header.newLines)
      : this.bodies.read(line + 1, header.oldCounts[0]!, header.newLines);
    this.table.kinds[line] = LineKind.HunkHeader;
    let flags = 0;
    if (body.mismatch) flags |= this.depth ? HunkFlag.Partial : HunkFlag.Mismatch;
    if (body.bare || body.wrapped) flags |= HunkFlag.Approximate;
    this.tables.addHunk(this.table, line, body.end, body.added, body.removed, flags, this.depth);
    if (!this.depth) this.report(line, header, body, combined);
    this.strayed = false;
    return body.end;
  }

  private report(
    line: number,
    header: HunkHeader,
    body: ReturnType<BodyReader['read']>,
    combined: boolean,
  ): void {
    const place = this.table.documentLine(line);
    if (!header.exact)
      this.tables.diagnose(
        'malformed-header',
        place,
        'This hunk header is not as diff writes it; it was read all the same.',
      );
    if (this.strayed)
      this.tables.diagnose(
        'orphan-hunk',
        place,
        'Other text stands between this hunk and the file it is taken to belong to.',
      );
    if (combined && !this.reportedCombined) {
      this.reportedCombined = true;
      this.tables.diagnose(
        'combined-diff',
        place,
        'A combined diff of a merge: figures are those against the first parent, and it is not analysed.',
      );
    }
    if (body.mismatch) {
      const { old, added } = this.lengths(line + 1, body.end);
      const what = combined
        ? ''
        : `: declared are ${header.oldCounts[0]!} old and ${header.newLines} new lines, present ${old} and ${added}`;
      this.tables.diagnose('hunk-count-mismatch', place, `Header and body of this hunk disagree${what}.`);
    } else if (!body.added && !body.removed) {
      this.tables.diagnose('empty-hunk', place, 'This hunk changes nothing.');
    }
    if (body.bare)
      this.tables.diagnose(
        'lost-blank',
        this.table.documentLine(body.firstBare),
        `${body.bare} context line(s) of this hunk lost the leading blank.`,
      );
    if (body.wrapped)
      this.tables.diagnose(
        'wrapped-line',
        this.table.documentLine(body.firstWrapped),
        `${body.wrapped} line(s) of this hunk were wrapped by a mail program.`,
      );
  }

  private lengths(from: number, to: number): { old: number; added: number } {
    let old = 0;
    let added = 0;
    for (let at = from; at < to; at++) {
      const kind = this.table.kinds[at];
      if (kind === LineKind.Removed || kind === LineKind.Context || kind === LineKind.BareContext) old++;
      if (kind === LineKind.Added || kind === LineKind.Context || kind === LineKind.BareContext) added++;
    }
    return { old, added };
  }
}
