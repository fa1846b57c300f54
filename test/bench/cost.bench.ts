/** Pricing: a patch, an archive, other values, an edit, and how much memory many relevant hunks take. CPU time. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Language, Parser } from 'web-tree-sitter';
import { loadCParser, LoweringMemory } from '../../src/code/lowerC';
import { makeFrontEnd } from '../../src/cost/frontEnd';
import { ModuleCache } from '../../src/cost/moduleCache';
import { analysePatch, type PriceOptions } from '../../src/cost/price';
import type { DocumentPricer } from '../../src/cost/pricing';
import { defaultMachine } from '../../src/machine/registry';
import { readPatch } from '../../src/patch/read';
import type { Bench, BenchRow } from './bench';
import { archive, flushPatch } from './flushPatches';

const require = createRequire(join(process.cwd(), 'package.json'));
const assets = {
  'tree-sitter-c.wasm': join(require.resolve('tree-sitter-c/package.json'), '..', 'tree-sitter-c.wasm'),
  'web-tree-sitter.wasm': join(require.resolve('web-tree-sitter'), '..', 'web-tree-sitter.wasm'),
};
const load = (): Promise<void> =>
  loadCParser(name => Promise.resolve(new Uint8Array(readFileSync(assets[name as keyof typeof assets]))));

const machine = defaultMachine();
const optionsFor = (n: number): PriceOptions => ({
  machine,
  features: new Set(machine.features),
  switched: new Map(),
  values: { n, c: 3 },
  nGiven: true,
});

/** Milliseconds of CPU, of all threads: of the garbage collector and the compiler too. */
async function cpuTime(work: () => unknown): Promise<number> {
  const from = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1000;
}

/** The median and the least of several runs, after as many to warm up. */
async function times(work: () => unknown, runs: number): Promise<{ median: number; least: number }> {
  for (let run = 0; run < runs; run++) await work();
  const found: number[] = [];
  for (let run = 0; run < runs; run++) found.push(await cpuTime(work));
  found.sort((a, b) => a - b);
  return { median: found[runs >> 1]!, least: found[0]! };
}

interface Kept {
  readonly memory?: LoweringMemory;
  readonly cache?: ModuleCache;
}

async function pricerOf(
  text: string,
  { memory = new LoweringMemory(), cache }: Kept = {},
): Promise<DocumentPricer> {
  const frontEnd = makeFrontEnd({ config: new Map(), index: null, memory });
  return analysePatch(readPatch(text), { frontEnd, tree: null, ...(cache ? { cache } : {}) });
}

const price = async (text: string, kept?: Kept): Promise<unknown> =>
  (await pricerOf(text, kept)).price(optionsFor(10));

/** What the bare C parser takes for the lines of both sides. */
async function bareParser(text: string): Promise<() => void> {
  await Parser.init({ locateFile: () => assets['web-tree-sitter.wasm'] });
  const parser = new Parser();
  parser.setLanguage(await Language.load(assets['tree-sitter-c.wasm']));
  const side = (hidden: string): string =>
    text
      .split('\n')
      .filter(line => /^[ +-](?![+-])/.test(line) && line[0] !== hidden)
      .map(line => line.slice(1))
      .join('\n');
  const sides = [side('+'), side('-')];
  return () => {
    for (const one of sides) parser.parse(one)?.delete();
  };
}

const milliseconds = { unit: 'ms', lowerIsBetter: true } as const;

async function warmRows(): Promise<BenchRow[]> {
  await load();
  const text = flushPatch(1_000);
  const ours = await times(() => price(text), 15);
  const parser = await times(await bareParser(text), 15);
  const pricer = await pricerOf(text);
  pricer.price(optionsFor(10));
  let n = 10;
  const again = await times(() => pricer.price(optionsFor(10 + (++n % 20))), 25);
  const memory = new LoweringMemory();
  const cache = new ModuleCache();
  await price(text, { memory, cache });
  const before = memory.lowered;
  let edits = 0;
  const edited = (): string => text.replace('tq_count_7++;', `tq_count_7 += ${++edits};`);
  const edit = await times(() => price(edited(), { memory, cache }), 10);
  return [
    { what: 'a 1,000-line patch, read and priced: least', value: ours.least, ...milliseconds, goal: 50 },
    { what: 'the same: median', value: ours.median, ...milliseconds, floor: 400 },
    { what: 'over the bare C parser on the same lines', value: ours.least / parser.least, unit: '×', floor: 60, lowerIsBetter: true }, // prettier-ignore
    { what: 'other values of n: median', value: again.median, ...milliseconds, goal: 5, floor: 15 },
    { what: 'after an edit: median', value: edit.median, ...milliseconds },
    { what: 'functions read again after an edit', value: (memory.lowered - before) / edits, unit: '', floor: 2, lowerIsBetter: true }, // prettier-ignore
  ];
}

/** The peak of a child that prices, above one that only makes the text, in MiB. */
function peakMemory(what: string): number {
  const child = (mode: string): number =>
    Number(spawnSync(process.execPath, [__filename, mode, what], { encoding: 'utf8' }).stdout) / 1024;
  return child('--price') - child('--text');
}

const megabytes = 1_000_000;
const texts: Readonly<Record<string, () => string>> = {
  archive: () => archive(50 * megabytes),
  relevant: () => flushPatch(10 * megabytes / 30), // prettier-ignore
};

if (process.argv[1] === __filename && process.argv[3]) {
  const text = texts[process.argv[3]]!();
  void (async () => {
    if (process.argv[2] === '--price') {
      await load();
      await price(text);
    }
    process.stdout.write(String(process.resourceUsage().maxRSS));
  })();
}

async function archiveRows(): Promise<BenchRow[]> {
  await load();
  const text = texts['archive']!();
  const size = text.length / megabytes;
  const ours = await cpuTime(() => price(text));
  const lines = await cpuTime(() => text.split('\n').length);
  return [
    { what: '50 MB of mail, one in forty with a flush', value: size / (ours / 1000), unit: 'MB/s', floor: 4, goal: 60 }, // prettier-ignore
    { what: 'over splitting it into lines', value: ours / lines, unit: '×', lowerIsBetter: true },
    { what: 'memory above the text', value: peakMemory('archive'), unit: 'MiB', lowerIsBetter: true },
  ];
}

export const benches: readonly Bench[] = [
  { name: 'a patch, warm', run: warmRows },
  { name: 'an archive', run: archiveRows },
  {
    name: '10 MB of relevant hunks',
    run: () => [
      { what: 'memory above the text', value: peakMemory('relevant'), unit: 'MiB', floor: 1000, goal: 500, lowerIsBetter: true }, // prettier-ignore
    ],
  },
];
