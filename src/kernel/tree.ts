/** The bundled model kernel tree and its variants. */
import { files } from 'models:linux';

const variantFolder = 'variants/';

/** The base of the model: v5.3 with concurrent flushes. Its own map each time. */
export function modelTree(): Map<string, string> {
  return new Map(Object.entries(files).filter(([path]) => !path.startsWith(variantFolder)));
}

/** A variant of the model: patches that apply to the base, in order. */
export interface ModelVariant {
  readonly name: string;
  readonly title: string;
  /** Paths below `models/linux`, and their texts. */
  readonly patches: readonly { readonly path: string; readonly text: string }[];
}

/** The variants: a new one is one line here, and its patch. */
const stacks: readonly (readonly [string, string, readonly string[]])[] = [
  ['base', 'Concurrent flushes (v5.3 and the series that brought them)', []],
  ['serial-flush', 'The local flush before the remote ones', ['serial-flush']],
  ['range-interface', 'A range at a time; user PCIDs apart (1/3)', ['range-interface']],
  [
    'deferred-user-flush',
    'User PCIDs are flushed on the way out (2/3)',
    ['range-interface', 'deferred-user-flush'],
  ],
  [
    'no-deferral-on-shootdown',
    'The initiator of a shootdown does not defer (3/3)',
    ['range-interface', 'deferred-user-flush', 'no-deferral-on-shootdown'],
  ],
  [
    'full-deferred-flush-on-freed-tables',
    'Freed tables are deferred as a full flush',
    [
      'range-interface',
      'deferred-user-flush',
      'no-deferral-on-shootdown',
      'full-deferred-flush-on-freed-tables',
    ],
  ],
  ['early-acknowledgement', 'Other CPUs answer before they flush', ['early-acknowledgement']],
  ['broadcast-flush', 'INVLPGB for what four or more CPUs run', ['broadcast-flush']],
  ['flush-ceiling-6', 'Everything is flushed from 7 pages on', ['flush-ceiling-6']],
  ['v6.1-early-out', 'Requests that are done already return at once (v6.1)', ['v6.1-early-out']],
  ['xpfo-omit-flush', 'XPFO flushes only if asked to', ['xpfo-omit-flush']],
  ['xpfo-local-flush', 'XPFO flushes on this CPU only', ['xpfo-local-flush']],
  ['xpfo-deferred-flush', 'XPFO: other CPUs flush when they switch', ['xpfo-deferred-flush']],
  [
    'xpfo-batch-refill',
    'XPFO: one flush for a refill of the free list',
    ['xpfo-deferred-flush', 'xpfo-batch-refill'],
  ],
];

export const modelVariants: readonly ModelVariant[] = stacks.map(([name, title, patches]) => ({
  name,
  title,
  patches: patches.map(patch => {
    const path = `${variantFolder}${patch}.patch`;
    const text = files[path];
    if (text === undefined) throw new Error(`the bundle lacks ${path}`);
    return { path, text };
  }),
}));

export function findVariant(name: string): ModelVariant | null {
  return modelVariants.find(one => one.name === name) ?? null;
}
