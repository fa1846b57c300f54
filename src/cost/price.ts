/**
 * The entry of the cost room: a patch document in, prices out.
 *
 * `analysePatch` reads the code once; `DocumentPricer.price` then answers for any machine, features, `n` and `c`.
 */
import type { PatchDocument } from '../patch/model';
import { analyseDocument, type AnalysisOptions } from './analysis';
import { DocumentPricer } from './pricing';

export type { PriceOptions } from './parts';
export type { AnalysisOptions, FrontEnd } from './analysis';

/** Reads the code of a document's patches and prepares it for pricing. */
export async function analysePatch(
  document: PatchDocument,
  options: AnalysisOptions,
): Promise<DocumentPricer> {
  return new DocumentPricer(await analyseDocument(document, options));
}
