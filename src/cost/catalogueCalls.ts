/** Calls that are not followed: what the catalogue says of them. */
import type { CatalogueMatch, OperationCounts, VersionRange } from '../code/catalogue/entry';
import type { Instruction } from '../code/ir';
import type { NamedCall } from './calls';
import { runCallback } from './callback';
import type { Frame } from './frame';
import { no, yes, type Guard } from './guard';
import { writeCr3, writeCr4 } from './instructions';
import { cr4Cell } from './knownValues';
import type { State } from './machineState';
import { wholeMask } from './narrowedMasks';
import { onOneCpu, toOneCpu } from './oneCpu';
import { constant, one, parse, substitute, zero, type Polynomial } from './polynomial';
import { pageSize } from './quantity';
import type { Runner } from './runner';
import type { Value } from './value';
import { flagsAskFor } from './xenFlags';

/** How many pages two arguments `start`, `end` of a call delimit: a number where they say so, else null. */
function pagesOfCall(runner: Runner, args: readonly Value[]): bigint | 'all' | null {
  for (let at = 0; at + 1 < args.length; at++) {
    const [start, end] = [args[at]!, args[at + 1]!];
    if (end.kind === 'constant' && BigInt.asUintN(64, end.value) === 0xffff_ffff_ffff_ffffn) return 'all';
    if (start.kind === 'constant' || end.kind === 'constant') continue;
    const length = runner.space.subtract(end, start);
    if (length.kind === 'constant' && length.value > 0n) return (length.value + pageSize - 1n) / pageSize;
  }
  return null;
}

/** Performs what the row of a name says, for the arguments of this call. */
export function applyCatalogue(
  runner: Runner,
  frame: Frame,
  instruction: Instruction,
  call: NamedCall,
  match: CatalogueMatch,
): void {
  const { space, features } = runner;
  const { guards } = space;
  const { entry } = match;
  const { args, state, weight, name } = call;
  const unknown = (why: string): void => runner.notKnown(frame, instruction, state.guard, weight, name, why);
  if (match.assumption && entry.effect === 'operations')
    runner.recording.assumed.add(`${name}: ${match.assumption}`);
  if (entry.where.includes('XF') && entry.versions && !match.assumption)
    runner.recording.assumed.add(
      `${name}: as in its series' ${versionText(entry.versions)}, by the version in the subject`,
    );
  if (entry.unknown !== undefined) return unknown(entry.unknown);
  const cost = entry.costs.find(element => features.holds(element.when)) ?? entry.costs.at(-1);
  if (!cost) return;
  if (cost.unknown !== undefined) return unknown(cost.unknown);
  const source = `catalogue: ${name}`;
  const countsOthers =
    entry.callback !== undefined || Object.values(cost.ops).some(text => text.includes('c'));
  const everyone = !countsOthers ? yes : wholeMask(runner, frame, instruction, args, call.texts, state);
  const put = (ops: OperationCounts, guard = yes): void => {
    const reached = guards.and(state.guard, guard);
    for (const [operation, text] of Object.entries(ops)) {
      const whole = inCall(runner, parse(text) ?? zero, args);
      const count = toOneCpu(args) ? onOneCpu(whole) : whole;
      const value = entry.value === undefined ? null : (args[entry.value] ?? null);
      const at = { ...state, guard: reached };
      if (operation === 'CR3_WRITE') writeCr3(runner, frame, instruction, at, weight, value, source);
      else if (operation === 'CR4_WRITE' && value) {
        const written = cr4Written(runner, name, value, state);
        writeCr4(runner, frame, instruction, state, weight, written, source);
      } else {
        const none = everyone === yes ? zero : substitute(count, 'c', zero);
        const each = guards.and(reached, everyone);
        runner.perform(frame, instruction, each, weight, operation, count, source);
        const rest = guards.and(reached, guards.not(everyone));
        runner.perform(frame, instruction, rest, weight, operation, none, source);
      }
    }
  };
  const pages = pagesOfCall(runner, args);
  const over = cost.full ? fullFlush(runner, cost.ceiling, pages) : no;
  const asked = cost.asked === undefined ? undefined : args.at(cost.asked);
  const flags = cost.asks ? flagsAskFor(call.texts, cost.asks) : null;
  const dearer = !cost.other
    ? yes
    : flags !== null
      ? flags
        ? yes
        : no
      : asked
        ? space.truth(asked)
        : openCondition(runner, frame, instruction, state, cost.condition ?? name);
  if (over !== no && cost.full) put(cost.full, guards.and(over, dearer));
  put(cost.ops, guards.and(guards.not(over), dearer));
  if (cost.other) put(cost.other, guards.not(dearer));
  if (entry.select && features.holds(entry.select.when)) {
    const { argument, cases } = entry.select;
    const value = args[argument];
    const texts = [
      call.texts[argument] ?? '',
      value?.kind === 'constant' ? value.value.toString() : '',
      value?.kind === 'symbol' || value?.kind === 'address' ? value.name : '',
    ];
    const chosen = texts.map(text => text.replace(/^"|"$/g, '')).find(text => Object.hasOwn(cases, text));
    if (chosen === undefined) unknown(`argument ${argument + 1} does not say which operation it is`);
    else put(cases[chosen]!);
  }
  if (cost.deferred && !runner.quiet)
    for (const part of weight)
      runner.recording.deferred.push({
        name,
        where: cost.deferred.where,
        operations: new Map(
          Object.entries(cost.deferred.ops).map(([operation, text]) => [operation, parse(text) ?? one]),
        ),
        count: part.count,
        guard: guards.and(state.guard, part.guard),
        at: runner.placeOf(frame, instruction),
      });
  if (entry.callback) runCallback(runner, frame, instruction, call, entry.callback, everyone);
}

/** A condition of the catalogue that is no feature. */
function openCondition(
  runner: Runner,
  frame: Frame,
  instruction: Instruction,
  state: State,
  text: string,
): Guard {
  const truth = runner.space.truth(runner.space.symbol(text, `when:${text}`));
  if (!runner.quiet)
    runner.recording.conditions.push({
      truth,
      context: state.guard,
      text,
      at: { unit: frame.fn.unit, line: instruction.line },
      depth: frame.depth,
    });
  return truth;
}

const versionText = ({ from, to }: VersionRange): string =>
  from === null
    ? `versions up to ${to ?? 'any'}`
    : to === null
      ? `versions from ${from}`
      : `versions ${from} to ${to}`;

const bits64 = { bits: 64, signed: false } as const;

/** The value that ends up in CR4: `cr4_set_bits` and its kind are given the bits that change. */
function cr4Written(runner: Runner, name: string, value: Value, state: State): Value {
  const { space } = runner;
  const change = /^__?cr4_(set|clear|toggle)_bits|^cr4_(set|clear|toggle)_bits/.exec(name);
  if (!change) return value;
  const cell = cr4Cell(space);
  const old = state.memory.get(cell) ?? space.load(cell, 0);
  const how = change[1] ?? change[2];
  if (how === 'set') return space.binary('or', old, value, bits64);
  if (how === 'toggle') return space.binary('xor', old, value, bits64);
  return space.binary('and', old, space.not(value, bits64), bits64);
}

/** When a call over a range flushes everything instead. */
function fullFlush(runner: Runner, ceiling: number | undefined, pages: bigint | 'all' | null) {
  const { space } = runner;
  if (pages === 'all') return yes;
  const limit =
    ceiling === undefined ? space.symbol('tlb_single_page_flush_ceiling') : space.constant(ceiling);
  const count = pages === null ? space.symbol('n', 'count:n') : space.constant(pages);
  return pages === null || ceiling !== undefined
    ? space.truth(space.binary('lt', limit, count, { bits: 64, signed: false }))
    : no;
}

/** A count of the catalogue for the arguments of this call. */
function inCall(runner: Runner, count: Polynomial, args: readonly Value[]): Polynomial {
  let result = count;
  const pages = pagesOfCall(runner, args);
  if (typeof pages === 'bigint') result = substitute(result, 'n', constant(pages));
  const order = args.findLast(arg => arg.kind === 'constant' && arg.value >= 0n && arg.value < 64n);
  if (order?.kind === 'constant' && [...result.terms.keys()].some(monomial => monomial.includes('2^order')))
    result = substitute(result, '2^order', constant(1n << order.value));
  return result;
}
