/** Reports by name, kept as long as their document: another machine, `n` or `c` seldom changes anything in one. */
import type { PatchDocument } from '../patch/model';
import type { DocumentReport } from '../protocol/report';
import type { AnalysisOptions } from '../protocol/workerMessages';
import { analysing, type Progress } from './analyse';
import { PageRange } from './pageRange';
import { settingOf } from './setting';

interface Known {
  readonly features: string;
  readonly pages: PageRange;
  readonly report: DocumentReport;
}

export class NamedReports {
  private readonly known = new WeakMap<PatchDocument, Known>();

  /** As {@link analysing}; in one step where the report is known. */
  *of(patch: PatchDocument, options: AnalysisOptions): Generator<Progress, DocumentReport, void> {
    const setting = settingOf(options);
    const features = [...setting.features].sort().join();
    const known = this.known.get(patch);
    if (known?.features === features && known.pages.holdsFor(options.n)) return known.report;
    const pages = new PageRange(options.n);
    const report = yield* analysing(patch, options, pages);
    this.known.set(patch, { features, pages, report });
    return report;
  }
}
