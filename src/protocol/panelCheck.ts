/** Whether values received from the other side are messages of the panel. */
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
  type Check,
} from './check';
import { pageCommands, panelActions, type PanelHostMessage, type PanelPageMessage } from './panel';
import {
  cpuStateMembers,
  isEntryState,
  isMachineState,
  isRunReport,
  isSegmentColumns,
  isSpaceState,
  isTraceColumns,
} from './runCheck';

/** Bytes of a picture that the host takes. */
const mostPictureBytes = 64 * 1024 * 1024;

const side = isOneOf(0, 1);
const library = listOf(shape({ id: isText, title: isText, about: isText, origin: isText }));

const choice = shape({ before: isText, after: orNull(isText), parameters: mapOf(isNumber) });

const isSpeed: Check = value => isNumber(value) && (value as number) > 0 && (value as number) <= 1000;

const view = shape({
  tab: isOneOf('cpus', 'events', 'compare', 'sweep'),
  cpu: isCount,
  side,
  detail: isOneOf(0, 1, 2),
  speed: isSpeed,
  stopAt: isText,
  hidden: listOf(isText),
});

export const isPanelView = view;

const scenario = shape({
  id: isText,
  title: isText,
  about: isText,
  origin: isText,
  kernel: isText,
  compares: isText,
  machine: isText,
  features: listOf(isText),
  variants: listOf(isText),
  parameters: listOf(shape({ name: isText, values: listOf(isNumber) })),
});

const panelSide = shape({
  report: isRunReport,
  trace: isTraceColumns,
  segments: isSegmentColumns,
  state: isMachineState,
});

const change = shape({
  name: isText,
  before: isNumber,
  after: isNumber,
  cycles: orNull(isNumber),
  low: orNull(isNumber),
  high: orNull(isNumber),
});

const point = shape({
  x: isNumber,
  value: orNull(isNumber),
  low: orNull(isNumber),
  high: orNull(isNumber),
});

const sweep = shape({
  parameter: isText,
  fixed: mapOf(isNumber),
  series: listOf(shape({ name: isText, points: listOf(point) })),
  published: listOf(shape({ x: isNumber, value: isNumber, label: isText, source: isText })),
  crossovers: listOf(
    shape({
      from: isNumber,
      to: isNumber,
      cheaper: isText,
      than: isText,
      until: orNull(isNumber),
      uncertain: isFlag,
    }),
  ),
  note: isText,
});

const progress = orNull(shape({ label: isText, done: isNumber, total: isNumber }));

/** Members that are there have their shape. */
const cpuChange: Check = value =>
  shape({ cpu: isCount })(value) &&
  Object.entries(value as Record<string, unknown>).every(([name, member]) => {
    const check = Object.hasOwn(cpuStateMembers, name) ? cpuStateMembers[name] : undefined;
    return check?.(member) ?? false;
  });

const hostMessages: Readonly<Record<PanelHostMessage['type'], Check>> = {
  snapshot: shape({
    version: isCount,
    library,
    scenario: orNull(scenario),
    choice: orNull(choice),
    sides: value => listOf(panelSide)(value) && (value as unknown[]).length <= 2,
    changes: listOf(change),
    sweep: orNull(sweep),
    progress,
    problem: isText,
    view,
  }),
  state: shape({
    id: orNull(isCount),
    side,
    seq: isSequence,
    cpus: listOf(cpuChange),
    spaces: orNull(listOf(isSpaceState)),
  }),
  entries: shape({ id: isCount, side, seq: isSequence, cpu: isCount, entries: listOf(isEntryState) }),
  progress: shape({ progress }),
  problem: shape({ problem: isText }),
  library: shape({ library }),
  done: shape({ id: isCount, said: isText }),
  failed: shape({ id: orNull(isCount), reason: isText }),
  act: shape({ action: isOneOf(...panelActions) }),
};

const bytes: Check = value => value instanceof Uint8Array && value.byteLength <= mostPictureBytes;

const pageMessages: Readonly<Record<PanelPageMessage['type'], Check>> = {
  ready: shape({ version: isCount }),
  seek: shape({ id: isCount, side, seq: isSequence }),
  entries: shape({ id: isCount, side, cpu: isCount }),
  reveal: shape({ id: isCount, side, seq: isCount }),
  openScenario: shape({ id: isCount, scenario: isText }),
  choose: shape({ id: isCount, choice }),
  sweep: shape({ id: isCount, parameter: isText }),
  cancel: shape({}),
  view: shape({ view }),
  export: shape({ id: isCount, format: isOneOf('json', 'csv') }),
  picture: shape({ id: isCount, format: isOneOf('svg', 'png'), bytes }),
  copyText: shape({ id: isCount }),
  command: shape({ id: isCount, command: isOneOf(...pageCommands) }),
};

/** Whether `value` is one of `table`'s messages: `type` is looked up as an own key, so `__proto__` is none. */
const known = (table: Readonly<Record<string, Check>>, value: unknown): boolean =>
  shape({ type: isOneOf(...Object.keys(table)) })(value) && table[(value as { type: string }).type]!(value);

export const isPanelHostMessage = (value: unknown): value is PanelHostMessage => known(hostMessages, value);
export const isPanelPageMessage = (value: unknown): value is PanelPageMessage => known(pageMessages, value);

/** The `id` of something that was refused, so that its sender learns of it; null where it has none. */
export function idOf(value: unknown): number | null {
  return shape({ id: isCount })(value) ? (value as { readonly id: number }).id : null;
}
