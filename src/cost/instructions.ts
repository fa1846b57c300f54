/** One instruction of the IR, on symbolic values. Branches, jumps and returns are the runner's. */
import { headNotShown } from '../code/c/unseen';
import type { Instruction, IrFunction } from '../code/ir';
import { runCall, runNamed } from './calls';
import { keepsEntries } from './cr3Bit';
import { unseenHeadKey } from './unseenHeads';
import { markAt } from './deferredMarks';
import { no } from './guard';
import { cr4Cell, knownConstant } from './knownValues';
import { rootOf, type State } from './machineState';
import { one, parse, type Polynomial } from './polynomial';
import { cr4WithoutFlush } from './record';
import type { Frame, Weight } from './frame';
import type { Runner } from './runner';
import { show } from './show';
import type { Value } from './value';
import type { ValueSpace } from './values';

const u64 = { bits: 64, signed: false } as const;

/** PGE in CR4. */
const pgeBit = 7;

const invpcidTypes = ['INVPCID_ADDR', 'INVPCID_CTX', 'INVPCID_ALL_GLOBAL', 'INVPCID_ALL'] as const;

/** Primitives that set something, rather than test or clear it. */
const setsMemory = /(^|_)(set|assign|or|xchg|add|inc)(_|$)/;

/** Variables of the kernels that say whether a feature is used. */
const featureVariables: Readonly<Record<string, string>> = { use_invpcid: 'INVPCID' };

/** What memory holds at an address. */
function loadFrom(runner: Runner, state: State, address: Value): Value {
  const { space } = runner;
  const known = state.memory.get(address);
  if (known) return known;
  if (address.kind === 'choice') {
    const { guard, a, b } = address;
    return space.choice(guard, loadFrom(runner, state, a), loadFrom(runner, state, b));
  }
  if (address.kind === 'address') {
    const value = knownConstant(address.name);
    if (value !== null) return space.constant(value);
    const feature = featureVariables[address.name];
    if (feature !== undefined) return space.constant(runner.features.has(feature) ? 1 : 0);
  }
  if (address.kind === 'field' && address.member === 'xpti')
    return space.constant(runner.features.has('XPTI') ? 1 : 0);
  if (address.kind === 'field' && address.member === 'cr4' && rootOf(address).kind === 'address') {
    const root = rootOf(address);
    if (root.kind === 'address' && root.name === 'cpu_tlbstate')
      return state.memory.get(cr4Cell(space)) ?? space.load(cr4Cell(space), 0);
  }
  return space.load(address, 0);
}

/** Notes a store that some later path pays for. */
function noteDeferred(
  runner: Runner,
  frame: Frame,
  instruction: Instruction,
  state: State,
  address: Value,
  weight: Weight,
): void {
  // Entry code reads and clears the marks: it is where they are paid.
  if (runner.quiet || frame.fn.language === 'asm') return;
  const found = markAt(address);
  if (!found) return;
  const operations = new Map<string, Polynomial>();
  for (const [name, count] of Object.entries(found.mark.operations))
    operations.set(name, parse(count) ?? one);
  for (const part of weight)
    runner.recording.deferred.push({
      name: found.name,
      where: found.mark.where,
      operations,
      count: part.count,
      guard: runner.space.guards.and(state.guard, part.guard),
      at: runner.placeOf(frame, instruction),
    });
}

/** A write of CR3: flushing unless bit 63 of the value is set. */
export function writeCr3(
  runner: Runner,
  frame: Frame,
  instruction: Instruction,
  state: State,
  weight: Weight,
  value: Value | null,
  source: string,
): void {
  const { guards } = runner.space;
  const lost = (part: Value): void =>
    runner.notKnown(
      frame,
      instruction,
      state.guard,
      weight,
      show(part),
      'what is written to CR3 was changed in a way that is not followed: it is taken to flush',
    );
  const keeps = value ? keepsEntries(runner, value, lost) : no;
  runner.perform(frame, instruction, guards.and(state.guard, keeps), weight, 'CR3_NOFLUSH', one, source);
  runner.perform(
    frame,
    instruction,
    guards.and(state.guard, guards.not(keeps)),
    weight,
    'CR3_FLUSH',
    one,
    source,
  );
}

/** A write of CR4: it flushes, and has a price, where PGE changes. */
export function writeCr4(
  runner: Runner,
  frame: Frame,
  instruction: Instruction,
  state: State,
  weight: Weight,
  value: Value | null,
  source: string,
): void {
  const { space } = runner;
  const { guards } = space;
  const cell = cr4Cell(space);
  const before = space.bit(state.memory.get(cell) ?? space.load(cell, 0), pgeBit);
  const after = value ? space.bit(value, pgeBit) : guards.not(before);
  const changes = guards.ite(before, guards.not(after), after);
  if (value) state.memory.set(cell, value);
  runner.perform(frame, instruction, guards.and(state.guard, changes), weight, 'CR4_WRITE', one, source);
  const same = guards.and(state.guard, guards.not(changes));
  runner.perform(frame, instruction, same, weight, cr4WithoutFlush, one, source);
}

function runOperation(
  runner: Runner,
  frame: Frame,
  instruction: Instruction & { op: 'operation' },
  state: State,
  weight: Weight,
): void {
  const { space } = runner;
  const { name } = instruction;
  const args = instruction.args.map(register => runner.read(frame, state, register));
  const source = 'the code';
  if (name === 'CR3_WRITE') writeCr3(runner, frame, instruction, state, weight, args[0] ?? null, source);
  else if (name === 'CR4_WRITE') writeCr4(runner, frame, instruction, state, weight, args[0] ?? null, source);
  else if (name === 'INVPCID') {
    const type = args.find(arg => arg.kind === 'constant' && arg.value >= 0n && arg.value <= 3n);
    const operation = type?.kind === 'constant' ? invpcidTypes[Number(type.value)] : undefined;
    if (operation) runner.perform(frame, instruction, state.guard, weight, operation, one, source);
    else
      runner.notKnown(frame, instruction, state.guard, weight, 'INVPCID', 'its type is not a constant here');
  } else runner.perform(frame, instruction, state.guard, weight, name, one, source);
  if (instruction.dst === null) return;
  const read =
    name === 'CR4_READ'
      ? (state.memory.get(cr4Cell(space)) ?? space.load(cr4Cell(space), 0))
      : name === 'CR3_READ'
        ? space.symbol('cr3', '%cr3')
        : space.call(name, args, 0);
  runner.write(frame, state, instruction.dst, read);
}

/** How the assembly reader calls lines between hunks. */
const unseen = 'unseen lines';

/**
 * Entry macros end in a write of CR3. Where the last lines of one are not shown, and the catalogue says that it writes
 * CR3, that write is taken to stand there, with the value in the macro's first register.
 */
function writeInUnseenLines(
  runner: Runner,
  frame: Frame,
  instruction: Instruction & { op: 'unknown' },
  state: State,
  weight: Weight,
): void {
  const { fn } = frame;
  if (instruction.name !== unseen || fn.language !== 'asm' || !fn.parameters.length) return;
  const at = fn.code.indexOf(instruction);
  // The write stands behind the last gap, unless it is shown there.
  const rest = fn.code.slice(at + 1);
  if (rest.some(other => other.op === 'unknown' && other.name === unseen)) return;
  if (rest.some(other => other.op === 'operation' && other.name === 'CR3_WRITE')) return;
  const row = runner.program.lookup(fn.name, fn.unit.path)?.entry;
  if (!row?.costs.some(({ ops }) => ops.CR3_FLUSH !== undefined || ops.CR3_WRITE !== undefined)) return;
  if (!runner.quiet)
    runner.recording.assumed.add(`${fn.name}: its last lines, which the patch does not show, write CR3`);
  const value = runner.read(frame, state, 0);
  writeCr3(runner, frame, instruction, state, weight, value, `catalogue: ${fn.name}`);
}

const ordinals = new WeakMap<IrFunction, ReadonlyMap<Instruction, number>>();

/** Which of the nameless unknown instructions of a function this is. */
function ordinalOf(fn: IrFunction, instruction: Instruction): number {
  let known = ordinals.get(fn);
  if (!known) {
    const nameless = fn.code.filter(other => other.op === 'unknown' && other.name === '');
    known = new Map(nameless.map((other, at) => [other, at]));
    ordinals.set(fn, known);
  }
  return known.get(instruction) ?? 0;
}

/** Executes `instruction` on `state`. */
export function step(
  runner: Runner,
  frame: Frame,
  instruction: Instruction,
  state: State,
  weight: Weight,
): void {
  const { space } = runner;
  const read = (register: number): Value => runner.read(frame, state, register);
  const write = (register: number, value: Value): void => runner.write(frame, state, register, value);
  switch (instruction.op) {
    case 'const':
      return write(instruction.dst, space.constant(instruction.value));
    case 'address': {
      const scope = instruction.kind === 'local' ? `${frame.depth}` : '';
      return write(instruction.dst, space.address(instruction.name, instruction.kind, scope));
    }
    case 'move':
      return write(instruction.dst, read(instruction.a));
    case 'unary': {
      const a = read(instruction.a);
      if (instruction.operator === 'lnot')
        return write(instruction.dst, space.binary('eq', a, space.constant(0), u64));
      if (instruction.operator === 'neg')
        return write(instruction.dst, space.binary('sub', space.constant(0), a, instruction.type));
      return write(instruction.dst, space.not(a, instruction.type));
    }
    case 'binary': {
      const { operator, a, b, type } = instruction;
      const value = space.binary(operator, read(a), read(b), type);
      if (runner.quiet && value.kind === 'linear') frame.sums.add(value);
      return write(instruction.dst, value);
    }
    case 'cast':
      return write(instruction.dst, space.cast(read(instruction.a), instruction.type));
    case 'field':
      return write(instruction.dst, space.field(read(instruction.base), instruction.member));
    case 'index':
      return write(instruction.dst, space.index(read(instruction.base), read(instruction.index)));
    case 'load':
      return write(instruction.dst, loadFrom(runner, state, read(instruction.address)));
    case 'store': {
      const address = read(instruction.address);
      noteDeferred(runner, frame, instruction, state, address, weight);
      state.memory.set(address, read(instruction.value));
      return;
    }
    case 'sizeof':
      return write(instruction.dst, sizeOfType(space, instruction.type));
    case 'feature': {
      const { feature, kind } = instruction;
      const on = runner.features.answer(feature, kind, instruction.default);
      return write(instruction.dst, space.constant(on ? 1 : 0));
    }
    case 'operation':
      return runOperation(runner, frame, instruction, state, weight);
    case 'call':
      return runCall(runner, frame, instruction, state, weight);
    case 'primitive': {
      const args = instruction.args.map(read);
      if (setsMemory.test(instruction.name))
        for (const arg of args) noteDeferred(runner, frame, instruction, state, arg, weight);
      const value = runNamed(runner, frame, instruction, {
        name: instruction.name,
        args,
        texts: [],
        state,
        weight,
        primitive: true,
      });
      if (instruction.dst !== null) write(instruction.dst, value ?? space.call(instruction.name, args, 0));
      return;
    }
    case 'unknown': {
      const value = knownConstant(instruction.name);
      if (instruction.dst !== null && instruction.name === '') {
        // A condition that the patch does not show: each is one of its own.
        const at = ordinalOf(frame.fn, instruction);
        const kind = instruction.why === headNotShown ? unseenHeadKey : 'unseen:';
        return write(instruction.dst, space.symbol('…', `${kind}${frame.depth}:${at}`));
      }
      if (instruction.dst !== null) {
        write(
          instruction.dst,
          value !== null ? space.constant(value) : space.symbol(instruction.name, `?${instruction.name}`),
        );
        return;
      }
      runner.notKnown(frame, instruction, state.guard, weight, instruction.name, instruction.why);
      writeInUnseenLines(runner, frame, instruction, state, weight);
      return;
    }
    default:
      return;
  }
}

/** Sizes of C where no layout is needed; else a symbol. `void` counts bytes, as in GNU C. */
function sizeOfType(space: ValueSpace, type: string): Value {
  const integer = /^[us](8|16|32|64)$/.exec(type);
  if (integer) return space.constant(Number(integer[1]) / 8);
  if (type === 'bool' || type === 'void') return space.constant(1);
  return type.endsWith('*') ? space.constant(8) : space.symbol(`sizeof(${type})`);
}
