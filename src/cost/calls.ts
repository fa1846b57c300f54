/** Calls: followed through the code at hand, else taken from the catalogue, else listed as unknown. */
import type { CatalogueMatch } from '../code/catalogue/entry';
import type { Instruction } from '../code/ir';
import { bitStored } from './bitStores';
import { cpuNumber } from './cpus';
import { gatesOfFeature } from '../code/featureNames';
import { featureFunctions, featureQueries } from './features';
import { no } from './guard';
import { applyCatalogue } from './catalogueCalls';
import { knownResult, neverReturns } from './knownValues';
import { rootOf, type State } from './machineState';
import { forgetLocals, handedOn } from './locals';
import { noteNarrowed } from './narrowedMasks';
import { callsItself } from './record';
import { BeyondBound, type Frame, type Weight } from './frame';
import type { Runner } from './runner';
import type { Value } from './value';
import { isQueueCall, runQueueCall } from './xenQueue';

/** A call with its callee known by name. */
export interface NamedCall {
  readonly name: string;
  readonly args: readonly Value[];
  /** The arguments as written, where the call was written as one. */
  readonly texts: readonly string[];
  readonly state: State;
  readonly weight: Weight;
  /** A primitive of the IR: free unless the catalogue says otherwise. */
  readonly primitive: boolean;
}

const depthLimit = 40;

/** The arguments of a call as written. */
function argumentTexts(text: string): string[] {
  const open = text.indexOf('(');
  if (open < 0) return [];
  const parts: string[] = [];
  let depth = 0;
  let from = open + 1;
  for (let at = open; at < text.length; at++) {
    const character = text[at]!;
    if (character === '(' || character === '[' || character === '{') depth++;
    else if (character === ')' || character === ']' || character === '}') {
      if (--depth === 0) {
        parts.push(text.slice(from, at).trim());
        break;
      }
    } else if (character === ',' && depth === 1) {
      parts.push(text.slice(from, at).trim());
      from = at + 1;
    }
  }
  return parts.length === 1 && parts[0] === '' ? [] : parts;
}

/** Members of Linux' table of paravirtual operations → native functions, where they are not called alike. */
const nativeNames: Readonly<Record<string, readonly string[]>> = {
  flush_tlb_user: ['native_flush_tlb_local', 'native_flush_tlb'],
  flush_tlb_kernel: ['native_flush_tlb_global'],
};

/** The functions that a member of the table may lead to, best first. */
function behindMember(runner: Runner, member: string): string[] {
  const xen = runner.features.has('XEN_PV');
  const installed = runner.program.installed(member).filter(name => name.startsWith('xen_') === xen);
  const usual = xen
    ? [`xen_${member}`, `xen_${nativeNames[member]?.[0]?.replace('native_', '') ?? member}`]
    : [...(nativeNames[member] ?? []), `native_${member}`, `__native_${member}`];
  return [...installed, ...usual, member];
}

function runMember(
  runner: Runner,
  frame: Frame,
  instruction: Instruction,
  member: string,
  call: NamedCall,
): Value | null {
  const names = behindMember(runner, member);
  const { unit } = frame.fn;
  // The wrapper of a member is often called like it: what leads here is not what stands behind.
  const name =
    names.find(candidate => !frame.chain.includes(candidate) && runner.program.find(candidate, unit)) ??
    names.find(candidate => runner.program.lookup(candidate, unit.path)) ??
    member;
  return runNamed(runner, frame, instruction, { ...call, name });
}

/** A member of a table of operations that is called through a pointer: `pv_ops.mmu.flush_tlb_user`. */
function memberOf(pointer: Value): string | null {
  if (pointer.kind !== 'load' || pointer.address.kind !== 'field') return null;
  const root = rootOf(pointer.address);
  return root.kind === 'address' && /^pv_\w*ops$/.test(root.name) ? pointer.address.member : null;
}

/** Runs a call instruction and writes its result. */
export function runCall(
  runner: Runner,
  frame: Frame,
  instruction: Instruction & { op: 'call' },
  state: State,
  weight: Weight,
): void {
  const { space } = runner;
  const args = instruction.args.map(register => runner.read(frame, state, register));
  const texts = argumentTexts(instruction.text);
  const call = { name: instruction.callee ?? '', args, texts, state, weight, primitive: false };
  let value: Value | null;
  const hook = /^PVOP_V?CALL(?:EE)?\d$/.test(call.name) ? /(\w+)$/.exec(texts[0] ?? '') : null;
  if (hook)
    value = runMember(runner, frame, instruction, hook[1]!, {
      ...call,
      args: args.slice(-(texts.length - 1) || args.length),
      texts: texts.slice(1),
    });
  else if (instruction.callee !== null) value = runNamed(runner, frame, instruction, call);
  else value = runPointer(runner, frame, instruction, runner.read(frame, state, instruction.pointer!), call);
  const name = call.name || instruction.text;
  if (instruction.dst !== null)
    runner.write(frame, state, instruction.dst, value ?? space.call(name, args, 0));
}

/** Runs a call through a pointer. */
export function runPointer(
  runner: Runner,
  frame: Frame,
  instruction: Instruction,
  pointer: Value,
  call: NamedCall,
): Value | null {
  const { space } = runner;
  if (pointer.kind === 'choice') {
    const { guards } = space;
    for (const [guard, target] of [
      [pointer.guard, pointer.a],
      [guards.not(pointer.guard), pointer.b],
    ] as const)
      // prettier-ignore
      runPointer(runner, frame, instruction, target, {
        ...call,
        weight: call.weight.map(part => ({ guard: guards.and(part.guard, guard), count: part.count })),
      });
    return null;
  }
  const member = memberOf(pointer);
  if (member) return runMember(runner, frame, instruction, member, call);
  if (pointer.kind === 'address')
    return runNamed(runner, frame, instruction, { ...call, name: pointer.name });
  const text = 'text' in instruction ? instruction.text : 'a pointer';
  if (lockGuard.test(text)) return null;
  runner.notKnown(
    frame,
    instruction,
    call.state.guard,
    call.weight,
    text,
    'a call through a pointer whose target is not known',
    handedOn(call.args, call.state),
  );
  return null;
}

/** Locks taken for the rest of a block: `guard(preempt)()`. */
const lockGuard = /^(?:scoped_)?guard\(|^CLASS\(/;

/** Runs a call by name; gives its value, or null where that is opaque. */
export function runNamed(
  runner: Runner,
  frame: Frame,
  instruction: Instruction,
  call: NamedCall,
): Value | null {
  const { name, args, state, weight } = call;
  const { space, program } = runner;
  if (Object.hasOwn(featureFunctions, name))
    return space.constant(runner.features.has(featureFunctions[name]!) ? 1 : 0);
  if (featureQueries.has(name)) {
    const asked = namedFeature(args[0]);
    if (asked !== null) {
      const on = gatesOfFeature(asked).map(gate => runner.features.answer(gate, 'cpu', null));
      return space.constant(on.every(Boolean) ? 1 : 0);
    }
  }
  const definition = program.find(name, frame.fn.unit);
  const match = program.lookup(name, frame.fn.unit.path);
  if (isQueueCall(name) && !definition?.touched) {
    runQueueCall(runner, frame, instruction, name, state, weight);
    return null;
  }
  // `BUG_ON(x)` is read as BUG with an argument, and comes back unless something is wrong.
  if (neverReturns.has(name) && !(name === 'BUG' && args.length > 0)) {
    state.guard = no;
    return null;
  }
  const known = cpuNumber.has(name) ? runner.cpuNumber() : knownResult(space, name, args, state.memory);
  if (definition && follows(definition.fn, definition.touched, match)) {
    if (frame.chain.includes(name)) {
      runner.notKnown(frame, instruction, state.guard, weight, name, callsItself);
      return known;
    }
    if (frame.depth >= depthLimit) throw new BeyondBound(`calls more than ${depthLimit} deep`);
    const site = runner.placeOf(frame, instruction);
    const result = runner.call(definition.fn, args, state, weight, frame.chain, site);
    state.guard = result.state.guard;
    state.memory.clear();
    for (const [address, value] of result.state.memory) state.memory.set(address, value);
    return result.value ?? known;
  }
  noteNarrowed(runner, name, args, state, weight);
  const given = handedOn(args, state);
  const stored = bitStored(space, name, args, state);
  // What a function run elsewhere writes shows when it is run.
  if (!match?.entry.callback) forgetLocals(runner, name, args, state);
  if (stored) state.memory.set(stored.address, stored.value);
  if (match) {
    applyCatalogue(runner, frame, instruction, call, match);
    return known;
  }
  if (definition?.fn.unreadable)
    runner.notKnown(
      frame,
      instruction,
      state.guard,
      weight,
      name,
      `its body could not be read: ${definition.fn.unreadable}`,
      given,
    );
  else if (!call.primitive)
    runner.notKnown(
      frame,
      instruction,
      state.guard,
      weight,
      name,
      'neither the patch nor the catalogue says what it does',
      given,
    );
  return known;
}

/** The feature that a value is: a number without a value at hand, by the name that the caller wrote. */
function namedFeature(value: Value | undefined): string | null {
  const named = value?.kind === 'load' ? value.address : value;
  if (named?.kind !== 'address' && named?.kind !== 'symbol') return null;
  return /^(?:X86_(?:FEATURE|BUG)|ARM64)_[A-Z0-9_]+$/.test(named.name) ? named.name : null;
}

function follows(
  fn: { readonly unreadable: string | null; readonly partial: boolean },
  touched: boolean,
  match: CatalogueMatch | null,
): boolean {
  if (fn.unreadable !== null) return false;
  if (touched || !match) return true;
  // What runs a function elsewhere is a primitive here, an ordinary helper costs nothing, and half a body is worse than
  // what is known of the whole.
  if (match.entry.callback || (!match.entry.tlb && match.entry.effect !== 'operations')) return false;
  return !(fn.partial && match.entry.effect !== 'none');
}
