/** The control flow of a function: basic blocks, dominators, and loops however they are spelled in the source. */
import type { Instruction, IrFunction } from '../code/ir';

export interface Block {
  readonly index: number;
  /** Instructions `first` ≤ i < `end`. */
  readonly first: number;
  readonly end: number;
  /** Blocks that follow: of a branch [taken, not taken]. */
  readonly next: readonly number[];
}

/** A natural loop: all blocks that reach the header again without leaving through it. */
export interface Loop {
  readonly header: number;
  readonly blocks: ReadonlySet<number>;
  readonly parent: Loop | null;
  readonly depth: number;
}

export interface Flow {
  readonly blocks: readonly Block[];
  /** Reachable blocks in reverse postorder. */
  readonly order: readonly number[];
  /** Position in `order`, -1 if not reachable. */
  readonly position: readonly number[];
  readonly predecessors: readonly (readonly number[])[];
  /** Innermost loop of each block. */
  readonly loopOf: readonly (Loop | null)[];
  /** Loops by header. */
  readonly loops: ReadonlyMap<number, Loop>;
  /** True when a cycle has more than one entry, so that it is no natural loop. */
  readonly irreducible: boolean;
  dominates(a: number, b: number): boolean;
}

const endsBlock = (instruction: Instruction): boolean =>
  instruction.op === 'jump' || instruction.op === 'branch' || instruction.op === 'return';

function splitBlocks(code: readonly Instruction[]): Block[] {
  const leaders = new Set<number>([0]);
  code.forEach((instruction, at) => {
    if (!endsBlock(instruction)) return;
    leaders.add(at + 1);
    if (instruction.op === 'jump' || instruction.op === 'branch') leaders.add(instruction.target);
  });
  const starts = [...leaders].filter(at => at >= 0 && at < code.length).sort((a, b) => a - b);
  const blockAt = new Map(starts.map((start, index) => [start, index]));
  return starts.map((first, index) => {
    const end = starts[index + 1] ?? code.length;
    const last = code[end - 1]!;
    const wanted =
      last.op === 'return'
        ? []
        : last.op === 'jump'
          ? [last.target]
          : last.op === 'branch'
            ? [last.target, end]
            : [end];
    const next = wanted.flatMap(target => blockAt.get(target) ?? []);
    return { index, first, end, next };
  });
}

function reversePostorder(blocks: readonly Block[]): number[] {
  const state = new Uint8Array(blocks.length);
  const order: number[] = [];
  const stack: [block: number, child: number][] = blocks.length ? [[0, 0]] : [];
  if (blocks.length) state[0] = 1;
  while (stack.length) {
    const top = stack[stack.length - 1]!;
    // The arm not taken is visited last, so that in `order` it comes first, as in the source.
    const child = blocks[top[0]]!.next[top[1]++];
    if (child === undefined) {
      order.push(top[0]);
      stack.pop();
    } else if (!state[child]) {
      state[child] = 1;
      stack.push([child, 0]);
    }
  }
  return order.reverse();
}

/** Immediate dominators by the iterative method of Cooper, Harvey and Kennedy. */
function immediateDominators(
  order: readonly number[],
  position: readonly number[],
  predecessors: readonly (readonly number[])[],
): Int32Array {
  const dominator = new Int32Array(position.length).fill(-1);
  const root = order[0]!;
  dominator[root] = root;
  const meet = (a: number, b: number): number => {
    while (a !== b) {
      while (position[a]! > position[b]!) a = dominator[a]!;
      while (position[b]! > position[a]!) b = dominator[b]!;
    }
    return a;
  };
  for (let changed = true, rounds = 0; changed && rounds < 50; rounds++) {
    changed = false;
    for (const block of order.slice(1)) {
      let found = -1;
      for (const before of predecessors[block]!)
        if (dominator[before] !== -1) found = found === -1 ? before : meet(before, found);
      if (found !== -1 && dominator[block] !== found) {
        dominator[block] = found;
        changed = true;
      }
    }
  }
  return dominator;
}

/** Blocks of the loop with the given back edges. */
function loopBlocks(
  header: number,
  tails: readonly number[],
  predecessors: readonly (readonly number[])[],
): Set<number> {
  const found = new Set([header]);
  const walk = tails.filter(tail => tail !== header);
  for (const tail of walk) found.add(tail);
  while (walk.length)
    for (const before of predecessors[walk.pop()!]!)
      if (!found.has(before)) {
        found.add(before);
        walk.push(before);
      }
  return found;
}

function findLoops(
  order: readonly number[],
  predecessors: readonly (readonly number[])[],
  dominates: (a: number, b: number) => boolean,
): Map<number, Loop> {
  const headers = order.flatMap(header => {
    const tails = predecessors[header]!.filter(before => dominates(header, before));
    return tails.length ? [{ header, blocks: loopBlocks(header, tails, predecessors) }] : [];
  });
  // Outer loops first, so that a parent is there before its children.
  headers.sort((a, b) => b.blocks.size - a.blocks.size);
  const loops = new Map<number, Loop>();
  for (const { header, blocks } of headers) {
    let parent: Loop | null = null;
    for (const outer of loops.values())
      if (outer.blocks.has(header) && (!parent || outer.depth > parent.depth)) parent = outer;
    loops.set(header, { header, blocks, parent, depth: parent ? parent.depth + 1 : 1 });
  }
  return loops;
}

/** Works out the control flow of a function. Linear but for the nesting of its loops. */
export function flowOf(fn: IrFunction): Flow {
  const blocks = splitBlocks(fn.code);
  const order = reversePostorder(blocks);
  const position = new Array<number>(blocks.length).fill(-1);
  order.forEach((block, at) => (position[block] = at));
  const predecessors: number[][] = blocks.map(() => []);
  for (const block of order) for (const next of blocks[block]!.next) predecessors[next]!.push(block);
  const dominator = order.length ? immediateDominators(order, position, predecessors) : new Int32Array(0);
  // Depth in the dominator tree and an interval numbering make the question constant time.
  const children: number[][] = blocks.map(() => []);
  for (const block of order) if (dominator[block] !== block) children[dominator[block]!]?.push(block);
  const enter = new Int32Array(blocks.length).fill(-1);
  const leave = new Int32Array(blocks.length).fill(-1);
  let clock = 0;
  const walk: [number, number][] = order.length ? [[order[0]!, 0]] : [];
  if (order.length) enter[order[0]!] = clock++;
  while (walk.length) {
    const top = walk[walk.length - 1]!;
    const child = children[top[0]]![top[1]++];
    if (child === undefined) {
      leave[top[0]] = clock++;
      walk.pop();
    } else {
      enter[child] = clock++;
      walk.push([child, 0]);
    }
  }
  const dominates = (a: number, b: number): boolean => enter[a]! <= enter[b]! && leave[b]! <= leave[a]!;
  const loops = findLoops(order, predecessors, dominates);
  const loopOf = blocks.map(({ index }) => {
    let innermost: Loop | null = null;
    for (const loop of loops.values())
      if (loop.blocks.has(index) && (!innermost || loop.depth > innermost.depth)) innermost = loop;
    return innermost;
  });
  const irreducible = order.some(block =>
    blocks[block]!.next.some(next => position[next]! <= position[block]! && !dominates(next, block)),
  );
  return { blocks, order, position, predecessors, loopOf, loops, irreducible, dominates };
}
