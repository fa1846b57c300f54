/** The built-in scenarios: a new one is its file and two lines here. */
import broadcastFlush from './builtin/broadcast-flush.tlbscope.jsonc';
import flushCeiling from './builtin/flush-ceiling.tlbscope.jsonc';
import forkCow from './builtin/fork-cow.tlbscope.jsonc';
import freedTables from './builtin/freed-tables.tlbscope.jsonc';
import hugePages from './builtin/huge-pages.tlbscope.jsonc';
import lazyCpus from './builtin/lazy-cpus.tlbscope.jsonc';
import madviseOneThread from './builtin/madvise-one-thread.tlbscope.jsonc';
import madviseThreads from './builtin/madvise-threads.tlbscope.jsonc';
import manySmallFlushes from './builtin/many-small-flushes.tlbscope.jsonc';
import manySystemCalls from './builtin/many-system-calls.tlbscope.jsonc';
import nmiAfterFlush from './builtin/nmi-after-flush.tlbscope.jsonc';
import noStackExit from './builtin/no-stack-exit.tlbscope.jsonc';
import reclaimBatch from './builtin/reclaim-batch.tlbscope.jsonc';
import refill from './builtin/refill.tlbscope.jsonc';
import severalAreas from './builtin/several-areas.tlbscope.jsonc';
import severalRanges from './builtin/several-ranges.tlbscope.jsonc';
import shootdownTwoSockets from './builtin/shootdown-two-sockets.tlbscope.jsonc';
import speculationWindow from './builtin/speculation-window.tlbscope.jsonc';
import switchBackAfterFlush from './builtin/switch-back-after-flush.tlbscope.jsonc';
import switchWithPendingRange from './builtin/switch-with-pending-range.tlbscope.jsonc';
import waysOut from './builtin/ways-out.tlbscope.jsonc';
import xenBatchedFlush from './builtin/xen-batched-flush.tlbscope.jsonc';
import xenSystemCall from './builtin/xen-system-call.tlbscope.jsonc';
import xpfoCopy from './builtin/xpfo-copy.tlbscope.jsonc';
import xpfoRefill from './builtin/xpfo-refill.tlbscope.jsonc';

export interface BuiltinScenario {
  readonly name: string;
  readonly text: string;
}

const texts = {
  'broadcast-flush': broadcastFlush,
  'flush-ceiling': flushCeiling,
  'fork-cow': forkCow,
  'freed-tables': freedTables,
  'huge-pages': hugePages,
  'lazy-cpus': lazyCpus,
  'madvise-one-thread': madviseOneThread,
  'madvise-threads': madviseThreads,
  'many-small-flushes': manySmallFlushes,
  'many-system-calls': manySystemCalls,
  'nmi-after-flush': nmiAfterFlush,
  'no-stack-exit': noStackExit,
  'reclaim-batch': reclaimBatch,
  refill: refill,
  'several-areas': severalAreas,
  'several-ranges': severalRanges,
  'shootdown-two-sockets': shootdownTwoSockets,
  'speculation-window': speculationWindow,
  'switch-back-after-flush': switchBackAfterFlush,
  'switch-with-pending-range': switchWithPendingRange,
  'ways-out': waysOut,
  'xen-batched-flush': xenBatchedFlush,
  'xen-system-call': xenSystemCall,
  'xpfo-copy': xpfoCopy,
  'xpfo-refill': xpfoRefill,
};

export const builtinScenarios: readonly BuiltinScenario[] = Object.entries(texts).map(([name, text]) => ({
  name,
  text,
}));
