/** Whether values received from the other side are messages of {@link RunHostMessage} and {@link RunWorkerMessage}. */
import {
  isCount,
  isFlag,
  isNumber,
  isOneOf,
  isSequence,
  isText,
  listOf,
  mapOf,
  orNull,
  shape,
} from './check';
import type { Check } from './check';
import { eventKinds, laneKinds } from './run';
import type { RunHostMessage, RunWorkerMessage } from './run';

const oneOfShapes =
  (...shapes: readonly Check[]): Check =>
  value =>
    shapes.some(check => check(value));

const request = shape({
  scenario: oneOfShapes(
    shape({ kind: isOneOf('builtin'), name: isText }),
    shape({ kind: isOneOf('text'), name: isText, text: isText }),
  ),
  patch: orNull(isText),
  tree: orNull(mapOf(isText)),
  treeAddress: value => value === undefined || value === null || isText(value),
  variants: listOf(isText),
  set: mapOf(isNumber),
  machine: orNull(isText),
  defaultMachine: isText,
  features: orNull(listOf(isText)),
});

const range = shape({ cycles: isNumber, low: isNumber, high: isNumber });

export const isRunReport: Check = shape({
  variant: isText,
  parameters: mapOf(isNumber),
  machine: isText,
  features: listOf(isText),
  total: orNull(isNumber),
  low: orNull(isNumber),
  high: orNull(isNumber),
  priced: orNull(range),
  byOperation: mapOf(orNull(range)),
  counts: mapOf(isNumber),
  misses: isCount,
  verdict: isText,
  complete: isFlag,
  why: listOf(isText),
  notes: value => value === undefined || listOf(isText)(value),
  assumed: listOf(isText),
  unknown: listOf(shape({ name: isText, why: isText, file: isText, line: isCount })),
  expect: listOf(
    shape({
      text: isText,
      ok: isFlag,
      line: isCount,
      found: oneOfShapes(isText, orNull(isNumber)),
    }),
  ),
});

const isScenarioReport: Check = shape({
  title: isText,
  about: isText,
  kernel: isText,
  cpus: isCount,
  compares: isOneOf('patch', 'variants'),
  variants: listOf(isText),
  parameters: listOf(shape({ name: isText, values: listOf(isNumber) })),
  runs: listOf(isRunReport),
});

const place = shape({ file: isText, line: isCount, function: isText, patchLine: isCount });

type Columns = Readonly<Record<string, unknown>>;

/** Every named column is a typed array of that kind with `count` rows. */
const columns = (
  value: unknown,
  kinds: Readonly<Record<string, new (length: number) => unknown>>,
): boolean => {
  if (!shape({ count: isCount })(value)) return false;
  const table = value as Columns;
  return Object.entries(kinds).every(([name, kind]) => {
    const column = table[name];
    return column instanceof kind && (column as Uint8Array).length === table['count'];
  });
};

/** Every number of a column is an index into a list of that length. */
const within = (column: Uint8Array | Uint32Array, length: number): boolean =>
  column.every(one => one < length);

export const isTraceColumns: Check = value => {
  const kinds = { cpu: Uint16Array, kind: Uint8Array, cycles: Float64Array, place: Uint32Array };
  if (!columns(value, { ...kinds, name: Uint32Array, lo: Uint32Array, hi: Uint32Array })) return false;
  if (!shape({ places: listOf(place), names: listOf(isText), cut: isFlag })(value)) return false;
  const table = value as Record<'place' | 'name', Uint32Array> & {
    readonly kind: Uint8Array;
    readonly places: readonly unknown[];
    readonly names: readonly unknown[];
  };
  return (
    within(table.kind, eventKinds.length) &&
    within(table.place, table.places.length) &&
    within(table.name, table.names.length)
  );
};

export const isSegmentColumns: Check = value => {
  const kinds = { cpu: Uint16Array, lane: Uint8Array, start: Float64Array, end: Float64Array };
  if (!columns(value, { ...kinds, seq: Uint32Array })) return false;
  return within((value as { readonly lane: Uint8Array }).lane, laneKinds.length);
};

const isOpenedRun: Check = shape({
  run: isCount,
  title: isText,
  cpus: isCount,
  report: isRunReport,
  trace: isTraceColumns,
  segments: isSegmentColumns,
});

const pendingFlush = oneOfShapes(
  shape({ kind: isOneOf('none', 'full', 'unknown') }),
  shape({ kind: isOneOf('range'), start: isText, end: isText, strideShift: isCount }),
);

/** The members of a `CpuState`, each with its check: a change of a state has some of them. */
export const cpuStateMembers: Readonly<Record<string, Check>> = {
  cpu: isCount,
  mode: isOneOf('user', 'kernel', 'interrupt', 'nmi', 'idle'),
  function: isText,
  waitsFor: isText,
  cr3: orNull(shape({ root: isText, pcid: isCount, half: isOneOf('kernel', 'user', 'whole') })),
  mm: isText,
  slot: orNull(isCount),
  lazy: orNull(isFlag),
  slots: listOf(
    shape({
      slot: isCount,
      mm: isText,
      generation: orNull(isNumber),
      mmGeneration: orNull(isNumber),
      userFlush: isFlag,
    }),
  ),
  pendingUserFlush: pendingFlush,
  interruptsOn: isFlag,
  nmiBlocked: isFlag,
  pendingInterrupts: listOf(isText),
  requestsIn: isCount,
  requestsOut: isCount,
  tlb: listOf(shape({ tag: isCount, global: isFlag, entries: isCount, stale: isCount })),
  pagingEntries: isCount,
  cycles: isNumber,
  low: isNumber,
  high: isNumber,
  unpriced: isCount,
  operations: listOf(shape({ name: isText, count: isCount, low: orNull(isNumber), high: orNull(isNumber) })),
  misses: isCount,
};

export const isSpaceState: Check = shape({
  name: isText,
  generation: orNull(isNumber),
  cpumask: listOf(isCount),
});

export const isMachineState: Check = shape({
  seq: isSequence,
  cpus: listOf(shape(cpuStateMembers)),
  spaces: listOf(isSpaceState),
});

export const isEntryState: Check = shape({
  structure: isText,
  address: isText,
  tag: isCount,
  global: isFlag,
  pageSize: isOneOf('4K', '2M', '1G', 'table'),
  frame: isText,
  flags: isText,
  stale: orNull(isFlag),
});

export const runHostMessages: Readonly<Record<RunHostMessage['type'], Check>> = {
  run: shape({ id: isCount, request }),
  open: shape({ id: isCount, request }),
  seek: shape({ id: isCount, run: isCount, seq: isSequence }),
  entries: shape({ id: isCount, run: isCount, seq: isSequence, cpu: isCount }),
  treeFile: shape({ id: isCount, file: shape({ request, variant: isText, path: isText }) }),
  close: shape({ run: isCount }),
};

export const runWorkerMessages: Readonly<Record<RunWorkerMessage['type'], Check>> = {
  ran: shape({ id: isCount, report: isScenarioReport }),
  opened: shape({ id: isCount, opened: isOpenedRun }),
  state: shape({ id: isCount, state: isMachineState }),
  entries: shape({ id: isCount, entries: listOf(isEntryState) }),
  treeFile: shape({ id: isCount, text: orNull(isText) }),
  gone: shape({ id: isCount, run: isCount }),
};
