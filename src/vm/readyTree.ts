/**
 * Which CPU is furthest behind among those that can run: a tree of minima over the CPUs, so that a choice among many costs
 * no more than a path of it. It lies in the state; only CPUs for which something has changed are looked at again.
 */
import type { Core } from './core';
import { Gw } from './state';

export class ReadyTree {
  private readonly tree: Float64Array;
  private readonly leaves: number;

  constructor(private readonly core: Core) {
    this.tree = core.ready;
    this.leaves = this.tree.length >> 1;
  }

  /** Forgets everything. */
  clear(): void {
    this.tree.fill(Infinity);
    this.core.global[Gw.Runnable] = 0;
  }

  /** When the CPU could run, as last said; Infinity: it cannot. */
  at(cpu: number): number {
    return this.tree[this.leaves + cpu]!;
  }

  set(cpu: number, time: number): void {
    const { tree } = this;
    let at = this.leaves + cpu;
    const old = tree[at]!;
    if (old === time) return;
    if (old === Infinity) this.core.global[Gw.Runnable]! += 1;
    else if (time === Infinity) this.core.global[Gw.Runnable]! -= 1;
    tree[at] = time;
    for (at >>= 1; at >= 1; at >>= 1) {
      const left = tree[2 * at]!;
      const right = tree[2 * at + 1]!;
      const least = left <= right ? left : right;
      if (tree[at] === least) return;
      tree[at] = least;
    }
  }

  /** The CPU with the least time, the first of several; −1: none can run. */
  first(): number {
    const { tree, leaves } = this;
    const least = tree[1]!;
    if (least === Infinity) return -1;
    let at = 1;
    while (at < leaves) {
      at *= 2;
      if (tree[at] !== least) at += 1;
    }
    return at - leaves;
  }
}
