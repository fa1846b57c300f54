/** Messages between the extension host and its worker. Both sides check what they receive. */
import { isCount, isFlag, isOneOf, isText, listOf, orNull, shape } from './check';
import type { MachineFilesHostMessage, MachineFilesWorkerMessage } from './machineFiles';
import { machineFilesHostMessages, machineFilesWorkerMessages } from './machineFiles';
import type { DocumentReport } from './report';
import { isDocumentReport } from './reportCheck';
import { reproduceHostMessages, reproduceWorkerMessages } from './reproduce';
import type { ReproduceHostMessage, ReproduceWorkerMessage } from './reproduce';
import type { RunHostMessage, RunWorkerMessage } from './run';
import { runHostMessages, runWorkerMessages } from './runCheck';
import { scenarioHostMessages, scenarioWorkerMessages } from './scenarios';
import type { ScenarioHostMessage, ScenarioWorkerMessage } from './scenarios';
import { treeHostMessages, treeWorkerMessages } from './tree';
import type { TreeHostMessage, TreeWorkerMessage } from './tree';

/** Files beside the bundles: the C parser and its grammar. */
export const assetNames = ['web-tree-sitter.wasm', 'tree-sitter-c.wasm'] as const;
export type AssetName = (typeof assetNames)[number];

/** What the analysis depends on besides the text. */
export interface AnalysisOptions {
  /** Id of the machine: of two answers the dearer one is given first. */
  readonly machine: string;
  /** Features that are on, named as on the command line, or `CONFIG_X=n`; null for those of the machine. */
  readonly features: readonly string[] | null;
  /** Pages of the flushed range, and other CPUs. */
  readonly n: number;
  readonly c: number;
  /** 1-based line of the first bytes that were not UTF-8, where the text was decoded by us; else null. */
  readonly firstInvalidLine: number | null;
  /** Address of the kernel tree whose files the worker may ask for; null or missing for none. */
  readonly tree?: string | null;
}

export type HostMessage =
  | {
      readonly type: 'analyse';
      readonly id: number;
      readonly text: string;
      readonly options: AnalysisOptions;
    }
  | { readonly type: 'decode'; readonly id: number; readonly text: string; readonly index: number }
  | { readonly type: 'cancel'; readonly id: number }
  /** Answer to `asset`: null if the file cannot be read. */
  | { readonly type: 'asset'; readonly name: string; readonly bytes: Uint8Array | null }
  | TreeHostMessage
  | RunHostMessage
  | ScenarioHostMessage
  | ReproduceHostMessage
  | MachineFilesHostMessage;

export type WorkerMessage =
  | { readonly type: 'progress'; readonly id: number; readonly done: number; readonly total: number }
  | { readonly type: 'report'; readonly id: number; readonly report: DocumentReport; readonly final: boolean }
  /** Asks for a file of the extension that is loaded only when it is needed. */
  | { readonly type: 'asset'; readonly id: null; readonly name: AssetName }
  | { readonly type: 'decoded'; readonly id: number; readonly text: string | null }
  | { readonly type: 'cancelled'; readonly id: number }
  | { readonly type: 'failed'; readonly id: number | null; readonly reason: string }
  | TreeWorkerMessage
  | RunWorkerMessage
  | ScenarioWorkerMessage
  | ReproduceWorkerMessage
  | MachineFilesWorkerMessage;

const options = shape({
  machine: isText,
  features: orNull(listOf(isText)),
  n: isCount,
  c: isCount,
  firstInvalidLine: orNull(isCount),
  tree: value => value === undefined || value === null || isText(value),
});

const hostMessages: Readonly<Record<HostMessage['type'], (value: unknown) => boolean>> = {
  analyse: shape({ id: isCount, text: isText, options }),
  decode: shape({ id: isCount, text: isText, index: isCount }),
  cancel: shape({ id: isCount }),
  asset: shape({ name: isText, bytes: orNull(value => value instanceof Uint8Array) }),
  ...treeHostMessages,
  ...runHostMessages,
  ...scenarioHostMessages,
  ...reproduceHostMessages,
  ...machineFilesHostMessages,
};

const workerMessages: Readonly<Record<WorkerMessage['type'], (value: unknown) => boolean>> = {
  progress: shape({ id: isCount, done: isCount, total: isCount }),
  report: shape({ id: isCount, report: isDocumentReport, final: isFlag }),
  asset: shape({ id: isOneOf(null), name: isOneOf(...assetNames) }),
  decoded: shape({ id: isCount, text: orNull(isText) }),
  cancelled: shape({ id: isCount }),
  failed: shape({ id: orNull(isCount), reason: isText }),
  ...treeWorkerMessages,
  ...runWorkerMessages,
  ...scenarioWorkerMessages,
  ...reproduceWorkerMessages,
  ...machineFilesWorkerMessages,
};

/** Whether `value` is one of `table`'s messages: `type` is looked up as an own key, so `__proto__` is none. */
function known(table: Readonly<Record<string, (value: unknown) => boolean>>, value: unknown): boolean {
  if (!shape({ type: isOneOf(...Object.keys(table)) })(value)) return false;
  const { type } = value as { type: string };
  return table[type]!(value);
}

export const isHostMessage = (value: unknown): value is HostMessage => known(hostMessages, value);
export const isWorkerMessage = (value: unknown): value is WorkerMessage => known(workerMessages, value);
