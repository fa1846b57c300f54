import type { PatchDocument, PatchFile } from '../patch/model';
import type { HunkAnnotation } from '../protocol/report';
import type { AnalysisOptions } from '../protocol/workerMessages';

export function annotateFile(
  _patch: PatchDocument,
  _file: PatchFile,
  _quoted: boolean,
  _options: AnalysisOptions,
): HunkAnnotation[] {
  return [];
}
