import { strict as assert } from 'node:assert';
import { compare } from '../../../src/cost/compare';
import { Layer, LayeredProgram } from '../../../src/cost/definitions';
import { FeatureSet } from '../../../src/cost/features';
import { print } from '../../../src/cost/polynomial';
import { resolve, shownCounts, type Counts } from '../../../src/cost/resolve';
import { moduleOf, readFunction } from './ir';

const text = (counts: Counts): Record<string, string> =>
  Object.fromEntries([...shownCounts(counts)].sort().map(([name, count]) => [name, print(count)]));

const range = { values: { n: 10, c: 3 }, nGiven: false, ceiling: 33 };

function price(
  sources: { before?: string[]; after?: string[] },
  features: string[] = [],
  assumption = range,
) {
  const before = (sources.before ?? []).map(source => readFunction(source, undefined, 'old'));
  const after = (sources.after ?? []).map(source => readFunction(source));
  const program = (functions: typeof before) =>
    new LayeredProgram(
      [
        new Layer(
          [moduleOf(functions)],
          functions.map(({ unit }) => unit),
        ),
      ],
      1,
      {},
    );
  const programs = { before: program(before), after: program(after) };
  const pair = { before: before[0] ?? null, after: after[0] ?? null };
  const { comparison, failures } = compare([pair], programs, new FeatureSet(new Set(features)), () => true);
  assert.deepEqual(failures, []);
  return resolve(comparison, assumption);
}

const delta = (sources: { before?: string[]; after?: string[] }, features: string[] = []) =>
  text(price(sources, features).answer.delta);

describe('running functions symbolically', () => {
  it('counts an address range as n, however the loop is spelled', () => {
    const forLoop = `fn f(start, end)
      addr = start
      page = 4096
      head:
      go = lt addr end
      stop = lnot go
      if stop out
      op INVLPG addr
      addr = add addr page
      jump head
      out:
      return`;
    const doLoop = `fn f(start, end)
      addr = start
      page = 4096
      head:
      op INVLPG addr
      addr = add addr page
      go = lt addr end
      if go head
      op LFENCE
      return`;
    const shifted = `fn f(start, end, shift)
      addr = start
      unit = 1
      stride = shl unit shift
      head:
      go = gt end addr
      stop = lnot go
      if stop out
      op INVLPG addr
      addr = add addr stride
      jump head
      out:
      return`;
    const counter = `fn f(start, nr)
      i = 0
      one = 1
      page = 4096
      head:
      stop = ge i nr
      if stop out
      way = mul i page
      addr = add start way
      op INVLPG addr
      i = add i one
      jump head
      out:
      return`;
    assert.deepEqual(delta({ after: [forLoop] }), { INVLPG: 'n' });
    assert.deepEqual(delta({ after: [doLoop] }), { INVLPG: 'n', LFENCE: '1' });
    assert.deepEqual(delta({ after: [shifted] }), { INVLPG: 'n' });
    assert.deepEqual(delta({ after: [counter] }), { INVLPG: 'n' });
  });

  it("counts constants, powers of two and the source's own bound", () => {
    const loop = (bound: string) => `fn f(order, count)
      i = 0
      one = 1
      ${bound}
      head:
      stop = ge i limit
      if stop out
      op INVLPG i
      i = add i one
      jump head
      out:
      return`;
    assert.deepEqual(delta({ after: [loop('limit = 6')] }), { INVLPG: '6' });
    assert.deepEqual(delta({ after: [loop('limit = shl one order')] }), { INVLPG: '2^order' });
    assert.deepEqual(delta({ after: [loop('limit = count')] }), { INVLPG: 'count' });
  });

  it('runs one page where a range is one page long', () => {
    const callee = `fn g(start, end)
      addr = start
      page = 4096
      head:
      stop = ge addr end
      if stop out
      op INVLPG addr
      addr = add addr page
      jump head
      out:
      return`;
    const caller = `fn f(addr)
      page = 4096
      end = add addr page
      call g addr end
      return`;
    assert.deepEqual(delta({ after: [caller, callee] }), { INVLPG: '1' });
  });

  it('follows features exactly', () => {
    const source = `fn f(addr)
      op INVLPG addr
      on = feature PTI
      off = lnot on
      if off out
      op INVPCID_ADDR addr
      out:
      return`;
    assert.deepEqual(delta({ after: [source] }), { INVLPG: '1' });
    assert.deepEqual(delta({ after: [source] }, ['PTI']), { INVLPG: '1', INVPCID_ADDR: '1' });
  });

  it('multiplies a callback by the CPUs that run it, and waits when told to', () => {
    const callback = `fn g(info)
      op INVLPG info
      return`;
    const on = (wait: number) => `fn f(info)
      g = &function g
      wait = ${wait}
      call on_each_cpu g info wait
      return`;
    assert.deepEqual(delta({ after: [on(1), callback] }), { INVLPG: 'c+1', IPI: 'c', IPI_WAIT: '1' });
    assert.deepEqual(delta({ after: [on(0), callback] }), { INVLPG: 'c+1', IPI: 'c' });
  });

  it('tells a flushing CR3 write from one that does not flush by bit 63', () => {
    const source = (bit: string) => `fn f(cr3)
      bit = ${bit}
      value = or cr3 bit
      call write_cr3 value
      return`;
    assert.deepEqual(delta({ before: [source('0')], after: [source('-9223372036854775808')] }), {
      CR3_FLUSH: '-1',
      CR3_NOFLUSH: '1',
    });
  });

  it('gives two answers for an open condition, the dearer first, and the same choice before and after', () => {
    const before = `fn f(x)
      if x many
      op INVLPG x
      return
      many:
      op INVLPG x
      op INVLPG x
      op INVLPG x
      return`;
    const after = `fn f(x)
      if x many
      op INVLPG x
      return
      many:
      op INVPCID_CTX x
      return`;
    const { answer, other } = price({ before: [before], after: [after] });
    assert.deepEqual(text(answer.delta), { INVLPG: '-3', INVPCID_CTX: '1' });
    assert.deepEqual(other && text(other.delta), {});
  });

  it('reaches a changed line and takes no error path', () => {
    const source = `fn f(x, y)
      minus = -22
      if y bad
      lx = lnot x
      if lx out
    + op INVLPG x
      out:
      zero = 0
      return zero
      bad:
    + op CR3_FLUSH
      return minus`;
    const { answer, other } = price({ after: [source] });
    assert.deepEqual(text(answer.delta), { INVLPG: '1' });
    assert.equal(other, null);
  });

  it('follows a flag that a branch sets to the test that uses it', () => {
    const source = `fn f(x)
      flush = 0
      lx = lnot x
      if lx test
      flush = 1
      test:
      no = lnot flush
      if no out
      op INVLPG x
      out:
      return`;
    const { answer, other } = price({ after: [source] });
    assert.deepEqual(text(answer.delta), { INVLPG: '1' });
    assert.deepEqual(other && text(other.delta), {});
  });

  it('keeps a range under the ceiling unless n is given and exceeds it', () => {
    const source = `fn f(start, end)
      shift = 12
      length = sub end start
      pages = shr length shift
      limit = &global tlb_single_page_flush_ceiling
      ceiling = [limit]
      over = gt pages ceiling
      if over full
      op INVLPG start
      return
      full:
      op CR3_FLUSH
      return`;
    assert.deepEqual(delta({ after: [source] }), { INVLPG: '1' });
    const far = price({ after: [source] }, [], { values: { n: 34, c: 3 }, nGiven: true, ceiling: 33 });
    assert.deepEqual(text(far.answer.delta), { CR3_FLUSH: '1' });
    const edge = price({ after: [source] }, [], { values: { n: 33, c: 3 }, nGiven: true, ceiling: 33 });
    assert.deepEqual(text(edge.answer.delta), { INVLPG: '1' });
  });

  it('issues a Xen-PV buffer once when it is filled once, and per 21 operations when it is extended', () => {
    const loop = (before: string, inside: string, behind: string) => `fn f(start, end)
      ${before}
      addr = start
      page = 4096
      head:
      stop = ge addr end
      if stop out
      ${inside}
      addr = add addr page
      jump head
      out:
      ${behind}
      return`;
    const price = (source: string) => delta({ after: [source] });
    assert.deepEqual(price(loop('call xen_mc_entry start', 'call xen_mc_issue start', 'zero = 0')), {
      HYPERCALL: '1',
    });
    assert.deepEqual(
      price(loop('call xen_mc_batch', 'call xen_extend_mmuext_op start', 'call xen_mc_issue start')),
      {
        HYPERCALL: 'ceil(n/21)',
      },
    );
    const each = loop('zero = 0', 'call xen_mc_entry start\n call xen_mc_issue start', 'zero = 0');
    assert.deepEqual(price(each), { HYPERCALL: 'n' });
  });
});
