/** Messages between the extension host and its worker. Both sides check what they receive. */
import { isCount, isOneOf, isText, listOf, orNull, shape } from './check';
import type { DocumentReport } from './report';
import { isDocumentReport } from './reportCheck';

/** What the analysis depends on besides the text. */
export interface AnalysisOptions {
  /** Features that are on, named as on the command line: they choose what a kernel name performs. */
  readonly features: readonly string[];
  /** Pages of the flushed range. */
  readonly pages: number;
  /** Pages up to which a kernel flushes page by page. */
  readonly ceiling: number;
  /** 1-based line of the first bytes that were not UTF-8, where the text was decoded by us; else null. */
  readonly firstInvalidLine: number | null;
}

export type HostMessage =
  | {
      readonly type: 'analyse';
      readonly id: number;
      readonly text: string;
      readonly options: AnalysisOptions;
    }
  | { readonly type: 'decode'; readonly id: number; readonly text: string; readonly index: number }
  | { readonly type: 'cancel'; readonly id: number };

export type WorkerMessage =
  | { readonly type: 'progress'; readonly id: number; readonly done: number; readonly total: number }
  | { readonly type: 'report'; readonly id: number; readonly report: DocumentReport }
  | { readonly type: 'decoded'; readonly id: number; readonly text: string | null }
  | { readonly type: 'cancelled'; readonly id: number }
  | { readonly type: 'failed'; readonly id: number | null; readonly reason: string };

const options = shape({
  features: listOf(isText),
  pages: isCount,
  ceiling: isCount,
  firstInvalidLine: orNull(isCount),
});

const hostMessages: Readonly<Record<HostMessage['type'], (value: unknown) => boolean>> = {
  analyse: shape({ id: isCount, text: isText, options }),
  decode: shape({ id: isCount, text: isText, index: isCount }),
  cancel: shape({ id: isCount }),
};

const workerMessages: Readonly<Record<WorkerMessage['type'], (value: unknown) => boolean>> = {
  progress: shape({ id: isCount, done: isCount, total: isCount }),
  report: shape({ id: isCount, report: isDocumentReport }),
  decoded: shape({ id: isCount, text: orNull(isText) }),
  cancelled: shape({ id: isCount }),
  failed: shape({ id: orNull(isCount), reason: isText }),
};

/** Whether `value` is one of `table`'s messages: `type` is looked up as an own key, so `__proto__` is none. */
function known(table: Readonly<Record<string, (value: unknown) => boolean>>, value: unknown): boolean {
  if (!shape({ type: isOneOf(...Object.keys(table)) })(value)) return false;
  const { type } = value as { type: string };
  return table[type]!(value);
}

export const isHostMessage = (value: unknown): value is HostMessage => known(hostMessages, value);
export const isWorkerMessage = (value: unknown): value is WorkerMessage => known(workerMessages, value);
