/** What can be said of a document without reading its code: outline, links, and operations by name. In steps. */
import type { PatchDocument } from '../patch/model';
import { readPatch } from '../patch/read';
import type { Absence, DocumentReport, HunkAnnotation } from '../protocol/report';
import type { AnalysisOptions } from '../protocol/workerMessages';
import { annotateFile } from './annotate';
import { links } from './links';
import { outline } from './outline';
import { PageRange } from './pageRange';
import { settingOf } from './setting';

/** An outline of more hunks than this helps nobody, and VS Code would choke on it. */
const mostHunks = 20_000;

/** How far it has come, in files. */
export interface Progress {
  readonly done: number;
  readonly total: number;
}

const isBinary = (text: string): boolean => text.slice(0, 8192).includes('\0');

/** Why there is nothing to show, or null. */
export function absence({ document, files, quoted }: PatchDocument, annotations: number): Absence | null {
  if (annotations) return null;
  if (files.length || quoted.length) return 'no-tlb-code';
  if (document.text.trim() === '') return 'empty';
  return isBinary(document.text) ? 'binary' : 'no-patch';
}

/** Yields between files; returns the report by name. `pages` is told what `n` was compared with. */
export function* analysing(
  patch: PatchDocument,
  options: AnalysisOptions,
  pages = new PageRange(options.n),
): Generator<Progress, DocumentReport, void> {
  const files = [
    ...patch.files.map(file => ({ file, quoted: false })),
    ...patch.quoted.map(file => ({ file, quoted: true })),
  ];
  const setting = settingOf(options);
  const annotations: HunkAnnotation[] = [];
  for (const [done, { file, quoted }] of files.entries()) {
    yield { done, total: files.length };
    if (annotations.length < mostHunks)
      annotations.push(...annotateFile(patch, file, quoted, setting, pages));
  }
  yield { done: files.length, total: files.length };
  const { messages, files: fileReports, cut } = outline(patch, mostHunks);
  return {
    absence: absence(patch, annotations.length),
    messages,
    files: fileReports,
    annotations,
    totals: [],
    diagnostics: patch.diagnostics.map(({ kind, documentLine, message }) => ({
      kind,
      line: documentLine,
      message,
    })),
    findings: [],
    byNameOnly: annotations.length ? 'The code is being read.' : '',
    decoded: patch.decoded.map(({ source, name, documentLine }, index) => ({
      index,
      kind: source.kind,
      name,
      line: documentLine,
    })),
    links: links(patch),
    cut: cut ? `Only the first ${mostHunks} hunks are listed.` : '',
  };
}

/** All of it at once. */
export function analyse(text: string, options: AnalysisOptions): DocumentReport {
  const steps = analysing(readPatch(text, { firstInvalidLine: options.firstInvalidLine }), options);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
