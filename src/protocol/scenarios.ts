/** What the host asks its worker about scenario files without running them, and what it gets. */
import type { Review } from '../scenario/review';
import type { DescribedScenario } from '../scenario/describe';
import { isCount, isFlag, isNumber, isOneOf, isText, listOf, mapOf, orNull, shape } from './check';
import type { Check } from './check';

/** A scenario file by a key of the host's, and what it says. */
export interface KeyedScenario {
  readonly key: string;
  readonly described: DescribedScenario;
}

/** A scenario that says something about a document, and the entries of `appliesTo` that fit. */
export interface FittingScenario {
  readonly key: string;
  readonly because: readonly string[];
}

/** Among reviews, the kernel tree of the workspace: no bundled tree has such a name. */
export const workspaceTree = '(workspace)';

export interface Attachment {
  /** In the order of the candidates. */
  readonly fits: readonly FittingScenario[];
  /** Whether the document is a patch that changes files. */
  readonly isPatch: boolean;
  /** Of such a patch, by the name of a kernel tree: whether it applies there. {@link workspaceTree} is the workspace's. */
  readonly reviews: Readonly<Record<string, Review>>;
}

export type ScenarioHostMessage =
  | {
      readonly type: 'describe';
      readonly id: number;
      readonly texts: readonly { readonly key: string; readonly text: string }[];
    }
  | {
      readonly type: 'attach';
      readonly id: number;
      /** Path of the document, with `/`. */
      readonly path: string;
      readonly text: string;
      /** Whether it is to be read as a patch; else it is a source file. */
      readonly patch: boolean;
      /** Address of the kernel tree of the workspace; null: there is none. */
      readonly tree: string | null;
      readonly candidates: readonly { readonly key: string; readonly appliesTo: readonly string[] }[];
    };

export type ScenarioWorkerMessage =
  | { readonly type: 'described'; readonly id: number; readonly scenarios: readonly KeyedScenario[] }
  | { readonly type: 'attached'; readonly id: number; readonly attachment: Attachment };

const either =
  (...checks: readonly Check[]): Check =>
  value =>
    checks.some(check => check(value));

const diagnostic = shape({
  line: isCount,
  column: isCount,
  offset: isCount,
  length: isCount,
  message: isText,
});

const info = shape({
  title: isText,
  about: isText,
  appliesTo: listOf(isText),
  kernel: isText,
  machine: orNull(isText),
  features: orNull(listOf(isText)),
  cpus: isCount,
  parameters: listOf(shape({ name: isText, values: listOf(isNumber) })),
  variants: listOf(isText),
  expectations: listOf(shape({ line: isCount, text: isText })),
  runs: listOf(shape({ variant: isText, parameters: mapOf(isNumber), expectations: listOf(isCount) })),
  runCount: isCount,
});

const described = either(
  shape({ ok: isOneOf(true), info }),
  shape({ ok: isOneOf(false), diagnostics: listOf(diagnostic) }),
);

const review = either(
  shape({ applies: isOneOf(true), touched: listOf(isText) }),
  shape({ applies: isOneOf(false), reason: isText, line: orNull(isCount) }),
);

export const scenarioHostMessages: Readonly<Record<ScenarioHostMessage['type'], Check>> = {
  describe: shape({ id: isCount, texts: listOf(shape({ key: isText, text: isText })) }),
  attach: shape({
    id: isCount,
    path: isText,
    text: isText,
    patch: isFlag,
    tree: orNull(isText),
    candidates: listOf(shape({ key: isText, appliesTo: listOf(isText) })),
  }),
};

export const scenarioWorkerMessages: Readonly<Record<ScenarioWorkerMessage['type'], Check>> = {
  described: shape({ id: isCount, scenarios: listOf(shape({ key: isText, described })) }),
  attached: shape({
    id: isCount,
    attachment: shape({
      fits: listOf(shape({ key: isText, because: listOf(isText) })),
      isPatch: isFlag,
      reviews: mapOf(review),
    }),
  }),
};
