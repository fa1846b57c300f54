/** The trace of a run as a file: JSON, or CSV with one event a row. */
import { eventKinds, type OpenedRun, type TraceColumns } from '../../protocol/run';

const hex = (lo: number, hi: number): string => `0x${((BigInt(hi) << 32n) | BigInt(lo)).toString(16)}`;

interface Row {
  readonly seq: number;
  readonly cpu: number;
  readonly cycles: number;
  readonly kind: string;
  readonly name: string;
  readonly operand: string;
  readonly function: string;
  readonly file: string;
  readonly line: number;
  readonly patchLine: number;
}

export function* traceRows(trace: TraceColumns): Generator<Row> {
  for (let seq = 0; seq < trace.count; seq++) {
    const place = trace.places[trace.place[seq]!]!;
    yield {
      seq,
      cpu: trace.cpu[seq]!,
      cycles: trace.cycles[seq]!,
      kind: eventKinds[trace.kind[seq]!]!,
      name: trace.names[trace.name[seq]!]!,
      operand: hex(trace.lo[seq]!, trace.hi[seq]!),
      ...{ function: place.function, file: place.file, line: place.line, patchLine: place.patchLine },
    };
  }
}

/** A cell of CSV: quoted where it has to be, and never a formula. */
export function csvCell(value: string | number): string {
  const text = String(value);
  const safe = typeof value === 'string' && /^[=+@\t\r-]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function csvOf(runs: readonly OpenedRun[]): string {
  const heads = [
    'run',
    'variant',
    'seq',
    'cpu',
    'cycles',
    'kind',
    'name',
    'operand',
    'function',
    'file',
    'line',
    'patchLine',
  ];
  const lines = [heads.join(',')];
  runs.forEach(({ trace, report }, run) => {
    for (const row of traceRows(trace))
      lines.push(
        [run, report.variant, ...(Object.values(row) as (string | number)[])].map(csvCell).join(','),
      );
  });
  return `${lines.join('\n')}\n`;
}

export function jsonOf(scenario: string, runs: readonly OpenedRun[]): string {
  const parts = runs.map(({ report, trace, cpus }) => ({
    report,
    cpus,
    cut: trace.cut,
    events: [...traceRows(trace)],
  }));
  return `${JSON.stringify({ scenario, runs: parts }, null, 1)}\n`;
}
