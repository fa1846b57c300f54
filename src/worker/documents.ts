/** Documents that were read, kept so that another machine, feature or value needs no second reading. */
import { loadCParser, LoweringMemory, type WasmLoader } from '../code/lowerC';
import type { Breathe } from '../cost/analysis';
import { makeFrontEnd } from '../cost/frontEnd';
import { ModuleCache } from '../cost/moduleCache';
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
  pricer: { readonly config: string; readonly made: DocumentPricer } | undefined;
}

const configKey = ({ config }: Setting): string => JSON.stringify([...config].sort());

export class Documents {
  private readonly known = new Map<string, ReadDocument>();
  /** What was made of functions, of all documents: after an edit only the touched ones are read. */
  private readonly memory = new LoweringMemory();
  /** What was made of files, under one configuration. */
  private modules = { config: '', cache: new ModuleCache() };

  constructor(private readonly loadAsset: WasmLoader) {}

  /** The document of a text; the one that was used longest ago is forgotten. */
  read(text: string, firstInvalidLine: number | null): PatchDocument {
    return this.entry(text, firstInvalidLine).patch;
  }

  /** Whether prices can be given without reading code. */
  isPriced(text: string, setting: Setting): boolean {
    return this.known.get(text)?.pricer?.config === configKey(setting);
  }

  /**
   * Reads the code of the document, once. `breathe` is called between its steps and may throw: what was read until then is
   * remembered, so that the next reading goes on from there.
   */
  async pricer(text: string, setting: Setting, breathe: Breathe): Promise<DocumentPricer> {
    const config = configKey(setting);
    const entry = this.entry(text, null);
    if (entry.pricer?.config === config) return entry.pricer.made;
    const made = await this.analyse(entry.patch, setting, config, breathe);
    entry.pricer = { config, made };
    return made;
  }

  private async analyse(
    patch: PatchDocument,
    { config }: Setting,
    key: string,
    breathe: Breathe,
  ): Promise<DocumentPricer> {
    await loadCParser(this.loadAsset);
    if (this.modules.config !== key) this.modules = { config: key, cache: new ModuleCache() };
    const { memory } = this;
    const frontEnd = makeFrontEnd({ config, index: null, memory, breathe });
    return analysePatch(patch, { frontEnd, tree: null, cache: this.modules.cache, breathe });
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
