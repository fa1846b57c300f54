/** Options of `tlbscope cost`: symbols, features, and the limit of `--check`. */
import type { MachineProfile } from '../machine/profile';
import { machineProfiles } from '../machine/registry';
import { InputError } from './command';

/** What `--set` gives. */
export interface SymbolSettings {
  readonly values: Readonly<Record<string, number>>;
  /** `n` was set, so that a range above the full-flush ceiling is flushed whole. */
  readonly nGiven: boolean;
}

/** Symbols that have a value without `--set`. */
const defaultSymbols: Readonly<Record<string, number>> = { n: 10, c: 3 };

const mostTurns = 1e12;

const entries = (text: string): string[] =>
  text
    .split(',')
    .map(part => part.trim())
    .filter(Boolean);

/** Reads `n=10,c=3,order=2`. */
export function readSymbols(texts: readonly string[]): SymbolSettings {
  const values: Record<string, number> = { ...defaultSymbols };
  let nGiven = false;
  for (const entry of texts.flatMap(entries)) {
    const at = entry.lastIndexOf('=');
    const name = entry.slice(0, at).trim();
    const value = Number(entry.slice(at + 1).trim() || 'x');
    if (at < 1) throw new InputError(`--set wants NAME=NUMBER, not '${entry}'`);
    if (!Number.isInteger(value) || value < 0 || value > mostTurns)
      throw new InputError(`--set ${name}: '${entry.slice(at + 1)}' is not a whole number from 0`);
    values[name] = value;
    if (name === 'n') nGiven = true;
  }
  return { values, nGiven };
}

export interface FeatureSettings {
  readonly features: ReadonlySet<string>;
  /** `CONFIG_X=n`, `key=y`. */
  readonly switched: ReadonlyMap<string, boolean>;
  /** The part of `switched` that is configuration. */
  readonly config: ReadonlyMap<string, boolean>;
}

/** Reads `PTI,PCID`, `none`, `CONFIG_X=n`. Only settings of configuration leave the machine's own features on. */
export function readFeatures(text: string | undefined, machine: MachineProfile): FeatureSettings {
  const switched = new Map<string, boolean>();
  const named = new Set<string>();
  let explicit = text?.trim() === '';
  for (const entry of entries(text ?? '')) {
    const [name, value] = entry.split('=').map(part => part.trim());
    if (!name || !/^[A-Za-z_][\w.-]*$/.test(name))
      throw new InputError(`--features: '${entry}' is not the name of a feature`);
    if (value === undefined) {
      explicit = true;
      if (name.startsWith('CONFIG_')) switched.set(name, true);
      else if (name !== 'none') named.add(canonical(name));
    } else if (/^(y|n|on|off|0|1)$/.test(value))
      switched.set(name.startsWith('CONFIG_') ? name : canonical(name), /^(y|on|1)$/.test(value));
    else throw new InputError(`--features ${name}: '${value}' is neither y nor n`);
  }
  const features = explicit ? named : new Set(machine.features);
  const config = new Map([...switched].filter(([name]) => name.startsWith('CONFIG_')));
  return { features, switched, config };
}

const spellings: Readonly<Record<string, string>> = { XENPV: 'XEN_PV', XPFO_INITED: 'XPFO' };

/** Names of features that the pricing knows, beside those of the machines. */
const moreFeatures = ['PTI', 'PCID', 'INVPCID', 'INVPCID_SINGLE', 'INVLPGB', 'PGE', 'XEN_PV', 'XPTI', 'XPFO', 'KPTI', 'TLBIRANGE', 'LAM', 'LA57']; // prettier-ignore

const knownFeatures = new Set([...moreFeatures, ...machineProfiles.flatMap(({ features }) => features)]);

/** `X86_FEATURE_PTI` and `pti` as the design spells them; static keys keep their own spelling. */
function canonical(name: string): string {
  const short = name.replace(/^X86_FEATURE_/i, '');
  const upper = short.toUpperCase();
  const spelled = spellings[upper] ?? upper;
  return knownFeatures.has(spelled) ? spelled : (spellings[short] ?? short);
}

/** Names given to `--features` that are no known feature and that the document does not name either. */
export function strangeFeatures({ features, switched }: FeatureSettings, text: string): string[] {
  return [...features, ...switched.keys()].filter(
    name => !knownFeatures.has(name) && !name.startsWith('CONFIG_') && !text.includes(name),
  );
}

/** A limit such as `cycles<=200`. */
export interface Limit {
  readonly text: string;
  /** Whether the total (null: it has no cycles) keeps to the limit. */
  holds(cycles: number | null): boolean;
}

const comparisons: Readonly<Record<string, (value: number, limit: number) => boolean>> = {
  '<=': (value, limit) => value <= limit,
  '<': (value, limit) => value < limit,
  '>=': (value, limit) => value >= limit,
  '>': (value, limit) => value > limit,
  '==': (value, limit) => value === limit,
  '=': (value, limit) => value === limit,
};

/** Reads `--check`. A total without cycles keeps to no limit: what is not known is not fine. */
export function readLimit(text: string): Limit {
  const match = /^\s*cycles\s*(<=|>=|==|<|>|=)\s*(-?\d+(?:\.\d+)?)\s*$/.exec(text);
  if (!match) throw new InputError(`--check wants a limit such as 'cycles<=200', not '${text}'`);
  const compare = comparisons[match[1]!]!;
  const limit = Number(match[2]);
  return { text: text.trim(), holds: cycles => cycles !== null && compare(cycles, limit) };
}
