/** Documents that were read, kept so that another machine, feature or value needs no second reading. */
import { loadCParser, type WasmLoader } from '../code/lowerC';
import { makeFrontEnd } from '../cost/frontEnd';
import { analysePatch } from '../cost/price';
import type { DocumentPricer } from '../cost/pricing';
import type { PatchDocument } from '../patch/model';
import { readPatch } from '../patch/read';
import type { Setting } from './setting';

/** So many texts are kept; of one whose code was read, the code too. */
const kept = 4;

interface ReadDocument {
  readonly patch: PatchDocument;
  /** The pricer under a configuration, or undefined before the code was read. */
  pricer: { readonly config: string; readonly made: Promise<DocumentPricer> } | undefined;
}

const configKey = ({ config }: Setting): string => JSON.stringify([...config].sort());

export class Documents {
  private readonly known = new Map<string, ReadDocument>();

  constructor(private readonly loadAsset: WasmLoader) {}

  /** The document of a text; the one that was used longest ago is forgotten. */
  read(text: string, firstInvalidLine: number | null): PatchDocument {
    return this.entry(text, firstInvalidLine).patch;
  }

  /** Whether prices can be given without reading code. */
  isPriced(text: string, setting: Setting): boolean {
    return this.known.get(text)?.pricer?.config === configKey(setting);
  }

  /** Reads the code of the document, once. */
  async pricer(text: string, setting: Setting): Promise<DocumentPricer> {
    const entry = this.entry(text, null);
    const config = configKey(setting);
    if (entry.pricer?.config !== config) entry.pricer = { config, made: this.analyse(entry.patch, setting) };
    return entry.pricer.made;
  }

  private async analyse(patch: PatchDocument, { config }: Setting): Promise<DocumentPricer> {
    await loadCParser(this.loadAsset);
    return analysePatch(patch, { frontEnd: makeFrontEnd({ config, index: null }), tree: null });
  }

  private entry(text: string, firstInvalidLine: number | null): ReadDocument {
    const found = this.known.get(text) ?? { patch: readPatch(text, { firstInvalidLine }), pricer: undefined };
    this.known.delete(text);
    this.known.set(text, found);
    for (const oldest of this.known.keys()) {
      if (this.known.size <= kept) break;
      this.known.delete(oldest);
    }
    return found;
  }
}
