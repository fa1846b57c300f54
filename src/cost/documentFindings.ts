/** Findings of a document: of its code as it runs, of its readers, and of the tree that it is read with. */
import type { SourceUnit } from '../code/source';
import type { DocumentAnalysis } from './analysis';
import type { Compared } from './compare';
import { documentLine } from './parts';
import type { Finding } from './priced';
import { fitText } from './treeFit';

/** What running the code found. */
export function collectFindings(compared: Compared, into: Map<string, Finding>): void {
  for (const recording of compared.comparison.after)
    for (const { kind, at, message } of recording.findings) {
      const line = documentLine(at);
      into.set(`${kind},${line}`, { kind, documentLine: line, message });
    }
}

/** Files of the tree that a patch does not go with, or that have it already. */
export function treeFindings(analysis: DocumentAnalysis, into: Map<string, Finding>): void {
  for (const { files } of analysis.patches)
    for (const [file, { fit, change }] of files) {
      if (fit !== 'other' && fit !== 'applied') continue;
      const { documentLine: line } = file.hunks[0]!;
      const kind = fit === 'other' ? 'tree-mismatch' : 'tree-applied';
      into.set(`${kind},${line}`, { kind, documentLine: line, message: fitText(fit, change.path) ?? '' });
    }
}

/** What the readers of code found on lines that the patch adds. */
export function moduleFindings(analysis: DocumentAnalysis, into: Map<string, Finding>): void {
  for (const { modules, files } of analysis.patches) {
    // A file with some of the hunks applied may use what a later one adds.
    const halfway = new Set<SourceUnit>();
    for (const { change, stages } of files.values())
      for (const [stage, functions] of stages)
        if (stage < change.hunks.length) for (const fn of functions) halfway.add(fn.unit);
    for (const module of modules)
      for (const { kind, unit, line, message } of module.findings) {
        const at = unit.lines[line];
        if (unit.side === 'old' || halfway.has(unit) || !at?.changed || at.documentLine === 0) continue;
        into.set(`${kind},${at.documentLine}`, { kind, documentLine: at.documentLine, message });
      }
  }
}
