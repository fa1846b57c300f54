import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parsePatch } from 'diff';
import parseDiff from 'parse-diff';
import { decodeDocument } from '../../src/patch/decode';
import { readPatch } from '../../src/patch/read';
import { damage, generator } from '../unit/patch/damage';
import { medianTime, type Bench, type BenchRow } from './bench';
import { hostileShapes, longLine, normalPatch, oneHunk, tinyFiles } from './synthetic';

const MEGABYTE = 1_000_000;
const SIZE = 50 * MEGABYTE;

/** Peak memory above the text, in MiB, of a child that reads `file`; run as `node reader.bench.js --peak FILE`. */
function peakMemory(file: string): number {
  const child = (what: string): number => {
    const run = spawnSync(process.execPath, [__filename, what, file], { encoding: 'utf8', maxBuffer: 1e9 });
    return Number(run.stdout) / 1024;
  };
  return child('--read') - child('--text');
}

if (process.argv[1] === __filename && process.argv[3]) {
  const { text } = decodeDocument(readFileSync(process.argv[3]));
  let checksum = text.length;
  if (process.argv[2] === '--read') {
    const read = readPatch(text);
    checksum += read.document.lineCount + read.diagnostics.length + read.files.length;
  }
  if (checksum) process.stdout.write(String(process.resourceUsage().maxRSS));
  process.exit(0);
}

function leastTime(work: () => void): number {
  return Math.min(...Array.from({ length: 5 }, () => medianTime(work, 1)));
}

function rates(name: string, text: string, readers: boolean): BenchRow[] {
  const size = text.length / MEGABYTE;
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const file = join(folder, 'x.patch');
  writeFileSync(file, text);
  const rate = (milliseconds: number): number => size / (milliseconds / 1000);
  const ours = rate(medianTime(() => void readPatch(text), 5));
  const rows: BenchRow[] = [{ what: `${name}: this reader`, value: ours, unit: 'MB/s', goal: 200 }];
  // git's own start-up is a few milliseconds of half a second.
  const git = rate(
    medianTime(
      () =>
        void spawnSync('git', ['apply', '--numstat', file], {
          cwd: folder,
          env: { ...process.env, GIT_DIR: join(folder, 'none') },
          maxBuffer: 1e9,
        }),
      3,
    ),
  );
  rows.push({ what: `${name}: over git apply --numstat`, value: ours / git, unit: '×', floor: 1 });
  if (readers) {
    const part = text.slice(0, text.indexOf('\ndiff --git', 5 * MEGABYTE) + 1 || undefined);
    const partRate = (work: () => void): number => part.length / MEGABYTE / (medianTime(work, 3) / 1000);
    const npm = Math.max(
      partRate(() => void parsePatch(part)),
      partRate(() => void parseDiff(part)),
    );
    rows.push({
      what: `${name}: over the faster of diff and parse-diff`,
      value: ours / npm,
      unit: '×',
      floor: 5,
    });
  }
  rows.push({
    what: `${name}: memory above the text`,
    value: peakMemory(file),
    unit: 'MiB',
    floor: 120,
    lowerIsBetter: true,
  });
  rmSync(folder, { recursive: true });
  return rows;
}

/** The slowest of 2,000 damaged mails of about 100 kB, in milliseconds. */
function slowestDamaged(): number {
  const random = generator(3);
  const original = Buffer.from(`From: a@example.org\nSubject: x\n\n${normalPatch(100_000)}`);
  let slowest = 0;
  for (let copy = 0; copy < 2_000; copy++) {
    const { text, firstInvalidLine } = decodeDocument(damage(original, random));
    // The better of two readings: a collection of garbage is not the reader's.
    slowest = Math.max(
      slowest,
      leastOfTwo(() => void readPatch(text, { firstInvalidLine })),
    );
  }
  return slowest;
}

function leastOfTwo(work: () => void): number {
  const time = (): number => {
    const from = performance.now();
    work();
    return performance.now() - from;
  };
  return Math.min(time(), time());
}

export const benches: readonly Bench[] = [
  {
    name: 'damaged mails of 100 kB',
    run: () => [
      { what: 'the slowest of 2,000', value: slowestDamaged(), unit: 'ms', floor: 50, lowerIsBetter: true },
    ],
  },
  { name: 'patches of 50 MB', run: () => rates('mixed hunks', normalPatch(SIZE), true) },
  { name: 'one hunk', run: () => rates('2.1 M lines', oneHunk(2_100_000), false) },
  { name: 'tiny files', run: () => rates('242,570 files', tinyFiles(242_570), false) },
  { name: 'one line', run: () => rates('50 MB line', longLine(SIZE), false) },
  {
    name: 'hostile shapes: time of twice the size over time of once',
    run: () =>
      Object.entries(hostileShapes).map(([what, shape]) => {
        const once = shape(100_000);
        const twice = shape(200_000);
        // The least of several: what else the machine does must not count.
        const value =
          leastTime(() => void readPatch(twice)) /
          Math.max(
            0.05,
            leastTime(() => void readPatch(once)),
          );
        return { what, value, unit: '×', floor: 2.5, lowerIsBetter: true };
      }),
  },
];
