/** The steps that a task can take, and what each may say. A new step is one new entry here and one in the schema. */
import { directMapPages, directWorks } from '../kernel/world';
import { limits } from './limits';

/** A member of a step. */
export type Field =
  | {
      readonly kind: 'number';
      readonly least: number;
      readonly most: number;
      /** Value where it is left out; null: it must be there. */
      readonly default: number | null;
    }
  | { readonly kind: 'word'; readonly oneOf: readonly string[]; readonly default: string | null }
  | { readonly kind: 'name' }
  | { readonly kind: 'flag'; readonly default: boolean };

type Fields = Readonly<Record<string, Field>>;

const word = (oneOf: readonly string[], byDefault: string | null = null): Field => ({
  ...{ kind: 'word', oneOf, default: byDefault },
});
const range = {
  /** First page of the space's region. */
  from: { kind: 'number', least: 0, most: limits.pages - 1, default: 0 },
  pages: { kind: 'number', least: 1, most: limits.pages, default: 1 },
} as const satisfies Fields;
/** A system call over a range. */
const call = {
  ...range,
  /** log2 of the page size: that of the spaces. */
  stride: { kind: 'number', least: 12, most: 21, default: 12 },
  /** Pages of one call; 0: all of them. */
  each: { kind: 'number', least: 1, most: limits.pages, default: 0 },
} as const satisfies Fields;
/** How a system call goes back to user mode: with a stack, or by the 32-bit SYSRET, which has none. */
const exit = { exit: word(['stack', 'nostack'], 'stack') };
const protection = ['read', 'read-write'];

export const stepShapes = {
  /** mmap of anonymous memory; no page is there yet. */
  map: { ...range, protection: word(protection, 'read-write'), ...exit },
  /** User code accesses each page once. */
  touch: { ...range, access: word(['read', 'write', 'execute'], 'write') },
  /** munmap: the pages, and the page tables that become empty. */
  unmap: { ...call, ...exit },
  madvise: { ...call, advice: word(['DONTNEED'], 'DONTNEED'), ...exit },
  mprotect: { ...call, protection: word(protection), ...exit },
  /** Copies the running space into an empty one. */
  fork: { into: { kind: 'name' }, ...exit },
  /** Reclaim unmaps pages of a space in one batch. */
  reclaim: { ...range, space: { kind: 'name' } },
  /** The kernel works on pages of its direct map (XPFO). */
  direct: {
    do: word(directWorks),
    from: { kind: 'number', least: 0, most: directMapPages - 1, default: 0 },
    pages: { kind: 'number', least: 1, most: directMapPages, default: 1 },
  },
  /** The scheduler switches to a thread of a space. */
  switch: { space: { kind: 'name' } },
  /** The scheduler switches to a kernel thread; the space stays loaded. */
  lazy: {},
  /** Spins in user mode, and takes interrupts, until every CPU with other steps has come to its end. */
  user: {},
  /** Enters the kernel and leaves it; in between it does its `steps`, or nothing. */
  enter: { by: word(['syscall', 'interrupt', 'nmi', 'paranoid']), ...exit },
  /** Sends an NMI to a CPU. */
  nmi: { cpu: { kind: 'number', least: 0, most: limits.cpus - 1, default: null } },
  /** Waits until every CPU whose task has this barrier is there. */
  barrier: { name: { kind: 'name' } },
  /** The figures of this CPU count from here. */
  measure: {},
  repeat: { times: { kind: 'number', least: 0, most: limits.times, default: null } },
} as const satisfies Readonly<Record<string, Fields>>;

export type StepName = keyof typeof stepShapes;

export const stepNames = Object.keys(stepShapes) as readonly StepName[];

/** Steps that have steps in them. Those of an `enter` can be left out, and are none of {@link notWithin}. */
export const nesting: ReadonlySet<StepName> = new Set<StepName>(['repeat', 'enter']);

/** What the kernel does not do between the way in and the way out. */
export const notWithin: ReadonlySet<StepName> = new Set<StepName>(['touch', 'user', 'lazy']);

/** The fields of a step. */
export const fieldsOf = (name: StepName): ReadonlyMap<string, Field> =>
  new Map(Object.entries<Field>(stepShapes[name]));
