/** Reads documents: small ones at once, big ones in the worker. */
import type { DocumentReport } from '../protocol/report';
import type { AnalysisOptions } from '../protocol/workerMessages';
import { analyse } from '../worker/analyse';
import { decodedText } from '../worker/decode';
import type { WorkerClient } from './workerClient';

/** Longer texts (UTF-16 units) go to the worker: reading a shorter one takes the host a few milliseconds. */
const inHostLimit = 256 * 1024;

export class Reader {
  constructor(private readonly worker: WorkerClient) {}

  /** A promise only for big documents, so that hints of small ones come with the text. */
  analyse(
    text: string,
    options: AnalysisOptions,
    signal: AbortSignal,
    progress: (done: number, total: number) => void,
  ): DocumentReport | Promise<DocumentReport> {
    if (text.length <= inHostLimit) return analyse(text, options);
    return this.worker.analyse(text, options, signal, progress);
  }

  decode(text: string, index: number, signal: AbortSignal): string | null | Promise<string | null> {
    if (text.length <= inHostLimit) return decodedText(text, index);
    return this.worker.decode(text, index, signal);
  }
}
