/** Worlds for the tests of the model kernel. */
import assert from 'node:assert/strict';
import { lowerKernel, type LoweredTree } from '../../../src/kernel/lower';
import { bootWorld } from '../../../src/kernel/boot';
import { findVariant, modelTree } from '../../../src/kernel/tree';
import type { World, WorldOptions } from '../../../src/kernel/world';
import { defaultMachine } from '../../../src/machine/registry';
import { applyToTree } from '../../../src/patch/apply';
import { readPatch } from '../../../src/patch/read';
import { whole } from '../../../src/vm/pairs';

/** The model with the patches of a variant. */
export function variantTree(name: string): Map<string, string> {
  if (name === 'without-flush') return withoutFlush();
  let tree = modelTree();
  for (const { path, text } of findVariant(name)!.patches) {
    const applied = applyToTree(tree, readPatch(text).files, { fuzz: 0 });
    if (!applied.ok) throw new Error(`${path}: ${applied.path} hunk ${applied.hunk}: ${applied.reason}`);
    tree = applied.tree;
  }
  return tree;
}

/** The model with the flushes of the mm layer left out: what a reviewer has to find. */
function withoutFlush(): Map<string, string> {
  const tree = modelTree();
  const path = 'arch/x86/mm/tlb.c';
  const text = tree.get(path)!;
  const from = text.indexOf('	new_tlb_gen = inc_mm_tlb_gen(mm);');
  const to = text.indexOf('	put_cpu();', from);
  assert.ok(from > 0 && to > from);
  tree.set(path, text.slice(0, from) + text.slice(to));
  return tree;
}

const lowered = new Map<string, LoweredTree>();

export function loweredVariant(name: string): LoweredTree {
  let found = lowered.get(name);
  if (!found) lowered.set(name, (found = lowerKernel(variantTree(name))));
  return found;
}

export const start = 0x7f00_0000_0000n;
export const ptiFeatures = ['PTI', 'PCID', 'INVPCID', 'PGE'];

export function boot(variant: string, options: Partial<WorldOptions> = {}): World {
  return bootWorld(
    {
      tree: modelTree(),
      machine: defaultMachine(),
      cpus: 1,
      features: new Set(ptiFeatures),
      spaces: [{ name: 'a', regions: [{ start, pages: 64 }] }],
      programs: [],
      ...options,
    },
    loweredVariant(variant),
  );
}

export function finish(world: World, steps = 5_000_000): World {
  world.run(steps);
  const { verdict, name, why, position } = world.ending;
  assert.equal(
    verdict,
    'finished',
    `${name}: ${why} at ${position.file}:${position.line} ${position.function}`,
  );
  return world;
}

/** Operations of a CPU without locked instructions, which these tests are not about. */
export function counts(world: World, cpu = 0): Record<string, number> {
  return Object.fromEntries(Object.entries(world.figures(cpu).counts).filter(([name]) => name !== 'ATOMIC'));
}

/** Operands of an operation, in the order of the run, which is traced. */
export function operands(world: World, name: string): bigint[] {
  const { trace, core } = world.vm;
  const found: bigint[] = [];
  for (let seq = 0; seq < trace!.recorded; seq++) {
    const event = trace!.event(seq);
    if (event.kind === 'operation' && core.program.operations[event.code] === name)
      found.push(BigInt.asUintN(64, whole(event.lo, event.hi)));
  }
  return found;
}
