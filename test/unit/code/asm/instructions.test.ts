/** What x86-64 instructions do, run on the lowered code. Values are derived by hand from the SDM's descriptions. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { branches, operations, routine, run, unknowns, type RunState } from './support';

/** Registers after a body without loops. */
function after(body: string, registers: Readonly<Record<string, bigint>> = {}, state: RunState = {}) {
  const fn = routine(body);
  assert.deepEqual(unknowns(fn), []);
  return run(fn, { ...state, registers }).registers;
}

const ones = 0xffffffffffffffffn;

describe('x86-64: registers of less than 64 bits', () => {
  it('keeps the rest of the register for 8 and 16 bits, clears it for 32', () => {
    const rcx = 0x1122334455667788n;
    assert.equal(after('movb $0xab, %cl', { rcx })['rcx'], 0x11223344556677abn);
    assert.equal(after('movb $0xab, %ch', { rcx })['rcx'], 0x112233445566ab88n);
    assert.equal(after('movw $0xabcd, %cx', { rcx })['rcx'], 0x112233445566abcdn);
    assert.equal(after('movl $0xabcd, %ecx', { rcx })['rcx'], 0xabcdn);
    assert.equal(after('movb $0x5, %r9b', { r9: rcx })['r9'], 0x1122334455667705n);
    assert.equal(after('movl %r9d, %r10d', { r9: rcx, r10: ones })['r10'], 0x55667788n);
  });

  it('loads a byte into %cl from memory', () => {
    const memory = new Map([[0x1000n, 0x0cn]]);
    const result = after(
      'movb PER_CPU_VAR(tq_shift), %cl\nmovq $1, %rbx\nshl %cl, %rbx',
      { rcx: 0xaabbccddeeff0011n },
      { memory, addresses: { tq_shift: 0x1000n } },
    );
    assert.equal(result['rcx'], 0xaabbccddeeff000cn);
    // 1 << 12.
    assert.equal(result['rbx'], 0x1000n);
  });

  it('sign-extends immediates and takes the narrow part of an operand', () => {
    assert.equal(after('movq $-1, %rax')['rax'], ones);
    assert.equal(after('movl $-1, %eax')['rax'], 0xffffffffn);
    assert.equal(after('movslq %eax, %rsi', { rax: 0x80000000n })['rsi'], 0xffffffff80000000n);
    assert.equal(after('movzbl %al, %edx', { rax: 0x1ffn, rdx: ones })['rdx'], 0xffn);
    assert.equal(after('movzwl %ax, %edx', { rax: 0x1ffffn, rdx: ones })['rdx'], 0xffffn);
    assert.equal(after('cltq', { rax: 0x1_8000_0000n })['rax'], 0xffffffff80000000n);
    assert.equal(after('xorl %esi, %esi', { rsi: ones })['rsi'], 0n);
  });
});

describe('x86-64: arithmetic and shifts', () => {
  it('wraps at the operand size', () => {
    assert.equal(after('addq $1, %rax', { rax: ones })['rax'], 0n);
    assert.equal(after('addl $1, %eax', { rax: ones })['rax'], 0n);
    assert.equal(after('subq %rbx, %rax', { rax: 5n, rbx: 7n })['rax'], ones - 1n);
    assert.equal(after('dec %ecx', { rcx: 0n })['rcx'], 0xffffffffn);
    assert.equal(after('negq %rax', { rax: 1n })['rax'], ones);
    assert.equal(after('notl %eax', { rax: 0xffn })['rax'], 0xffffff00n);
    assert.equal(after('orq $~0x1800, %rax', { rax: 0x1000n })['rax'], 0xfffffffffffff7ffn);
    assert.equal(after('imul $3, %rbx, %rax', { rbx: 7n })['rax'], 21n);
  });

  it('adds and subtracts with carry', () => {
    // 2^64 - 1 + 1 carries into the upper half.
    const sum = after('addq %rcx, %rax\nadcq %rdx, %rbx', { rax: ones, rcx: 1n, rbx: 5n, rdx: 6n });
    assert.equal(sum['rax'], 0n);
    assert.equal(sum['rbx'], 12n);
    // sbb of a register with itself spreads the carry.
    assert.equal(after('cmpq %rbx, %rax\nsbbq %rcx, %rcx', { rax: 1n, rbx: 2n, rcx: 9n })['rcx'], ones);
    assert.equal(after('cmpq %rbx, %rax\nsbbq %rcx, %rcx', { rax: 2n, rbx: 2n, rcx: 9n })['rcx'], 0n);
  });

  it('masks shift counts by the operand size and keeps the sign in SAR', () => {
    assert.equal(after('shlq %cl, %rax', { rax: 3n, rcx: 65n })['rax'], 6n);
    assert.equal(after('shll %cl, %eax', { rax: 3n, rcx: 33n })['rax'], 6n);
    assert.equal(after('shrq $4, %rax', { rax: 0xf0n })['rax'], 0xfn);
    assert.equal(after('sarq $60, %rax', { rax: 1n << 63n })['rax'], 0xfffffffffffffff8n);
    assert.equal(after('shl %rax', { rax: 1n << 63n })['rax'], 0n);
  });

  it('computes addresses with LEA', () => {
    assert.equal(after('leal -1(%rdi), %eax', { rdi: 0n })['rax'], 0xffffffffn);
    assert.equal(after('leaq 8(%rdi,%rcx,4), %rax', { rdi: 0x1000n, rcx: 3n })['rax'], 0x1014n);
    assert.equal(after('lea -16(%rsp), %rax', { rsp: 0x8000n })['rax'], 0x7ff0n);
    assert.equal(after('lea tq_x(%rip), %rax', {}, { addresses: { tq_x: 0x77n } })['rax'], 0x77n);
  });

  it('moves through the stack and gives XCHG and CMOV their effects', () => {
    const result = after('pushq %rax\npushq $7\npopq %rbx\npopq %rcx', { rax: 0x55n, rsp: 0x8000n });
    assert.deepEqual([result['rbx'], result['rcx'], result['rsp']], [7n, 0x55n, 0x8000n]);
    const swapped = after('xchg %rax, %rbx', { rax: 1n, rbx: 2n });
    assert.deepEqual([swapped['rax'], swapped['rbx']], [2n, 1n]);
    assert.equal(after('testq %rax, %rax\ncmovz %rbx, %rcx', { rbx: 4n, rcx: 9n })['rcx'], 4n);
    assert.equal(after('testq %rax, %rax\ncmovz %rbx, %rcx', { rax: 1n, rbx: 4n, rcx: 9n })['rcx'], 9n);
    // The upper half is cleared even if nothing is moved.
    assert.equal(after('testq %rax, %rax\ncmovzl %ebx, %ecx', { rax: 1n, rcx: ones })['rcx'], 0xffffffffn);
    assert.equal(after('cmpq $5, %rax\nsete %cl', { rax: 5n, rcx: 0xff00n })['rcx'], 0xff01n);
  });

  it('stores the pushed value of RSP before the push', () => {
    const fn = routine('pushq %rsp');
    assert.equal(run(fn, { registers: { rsp: 0x8000n } }).memory.get(0x7ff8n), 0x8000n);
  });
});

describe('x86-64: bit tests', () => {
  it('sets, clears and complements a bit of a register and puts the old one in CF', () => {
    assert.equal(after('bts $63, %rax', { rax: 1n })['rax'], (1n << 63n) | 1n);
    assert.equal(after('btr $0, %rax', { rax: 3n })['rax'], 2n);
    assert.equal(after('btc $1, %rax', { rax: 3n })['rax'], 1n);
    const test = 'bt %rcx, %rax\nsetc %bl';
    assert.equal(after(test, { rax: 0x10n, rcx: 4n })['rbx'], 1n);
    assert.equal(after(test, { rax: 0x10n, rcx: 5n })['rbx'], 0n);
    // A register index on a register is taken modulo the operand size.
    assert.equal(after(test, { rax: 0x10n, rcx: 68n })['rbx'], 1n);
    assert.equal(after('bt %ecx, %eax\nsetc %bl', { rax: 0x10n, rcx: 36n })['rbx'], 1n);
  });

  it('reaches beyond the word with a register index on memory', () => {
    const fn = routine('btr %rcx, PER_CPU_VAR(tq_bits)\nsetc %bl\nbt %rdx, PER_CPU_VAR(tq_bits)\nsetc %bh');
    const memory = new Map([
      [0x1000n, 0n],
      [0x1008n, 0x6n],
    ]);
    const result = run(fn, { registers: { rcx: 65n, rdx: 66n }, memory, addresses: { tq_bits: 0x1000n } });
    assert.equal(result.memory.get(0x1008n), 0x4n);
    assert.equal(result.registers['rbx'], 0x0101n);
    // A negative index goes below.
    const below = run(fn, {
      registers: { rcx: ones, rdx: 0n },
      memory: new Map([[0xff8n, 1n << 63n]]),
      addresses: { tq_bits: 0x1000n },
    });
    assert.equal(below.memory.get(0xff8n), 0n);
    assert.equal(below.registers['rbx'], 0x0001n);
  });

  it('leaves a 16-bit neighbour alone', () => {
    const fn = routine('btrw $3, PER_CPU_VAR(tq_bits)');
    const memory = new Map([[0x1000n, 0xffffffff_0000_000fn]]);
    assert.equal(
      run(fn, { memory, addresses: { tq_bits: 0x1000n } }).memory.get(0x1000n),
      0xffffffff_0000_0007n,
    );
  });
});

describe('x86-64: conditions', () => {
  const codes: readonly [string, (a: bigint, b: bigint) => boolean][] = [
    ['e', (a, b) => a === b],
    ['ne', (a, b) => a !== b],
    ['b', (a, b) => a < b],
    ['nae', (a, b) => a < b],
    ['ae', (a, b) => a >= b],
    ['be', (a, b) => a <= b],
    ['a', (a, b) => a > b],
    ['l', (a, b) => BigInt.asIntN(64, a) < BigInt.asIntN(64, b)],
    ['ge', (a, b) => BigInt.asIntN(64, a) >= BigInt.asIntN(64, b)],
    ['le', (a, b) => BigInt.asIntN(64, a) <= BigInt.asIntN(64, b)],
    ['g', (a, b) => BigInt.asIntN(64, a) > BigInt.asIntN(64, b)],
    ['s', (a, b) => BigInt.asIntN(64, a - b) < 0n],
    ['o', (a, b) => BigInt.asIntN(64, a) - BigInt.asIntN(64, b) !== BigInt.asIntN(64, a - b)],
  ];
  const value = fc.oneof(
    fc.bigInt({ min: 0n, max: ones }),
    fc.constantFrom(0n, 1n, ones, 1n << 63n, (1n << 63n) - 1n),
  );

  it('compares as the instruction manual says, directly behind CMP and across a label', () => {
    for (const [code, holds] of codes) {
      const direct = routine(`cmpq %rbx, %rax\nset${code} %cl`);
      // The label may be reached from elsewhere, so CF, ZF, SF and OF must be registers.
      const apart = routine(`cmpq %rbx, %rax\ntq_label:\nset${code} %cl`);
      const moved = routine(`cmpq %rbx, %rax\nmovq $0, %rax\nset${code} %cl`);
      fc.assert(
        fc.property(value, value, (rax, rbx) => {
          const expected = holds(rax, rbx) ? 1n : 0n;
          for (const fn of [direct, apart, moved])
            assert.equal(
              run(fn, { registers: { rax, rbx } }).registers['rcx'],
              expected,
              `${code} ${rax} ${rbx}`,
            );
        }),
        { numRuns: 60 },
      );
    }
  });

  it('sets the flags of SUB, ADD, TEST, INC and shifts', () => {
    const flagsOf = (body: string, registers: Readonly<Record<string, bigint>>): string => {
      const set = ['c', 'z', 's', 'o'].map((flag, index) => `set${flag} %r${8 + index}b`).join('\n');
      const result = run(routine(`${body}\ntq_here:\n${set}`), { registers }).registers;
      return [8, 9, 10, 11].map(number => String(result[`r${number}`])).join('');
    };
    // Carry, zero, sign, overflow.
    assert.equal(flagsOf('addq %rbx, %rax', { rax: ones, rbx: 1n }), '1100');
    assert.equal(flagsOf('addq %rbx, %rax', { rax: (1n << 63n) - 1n, rbx: 1n }), '0011');
    assert.equal(flagsOf('subq %rbx, %rax', { rax: 0n, rbx: 1n }), '1010');
    assert.equal(flagsOf('subl %ebx, %eax', { rax: 0x80000000n, rbx: 1n }), '0001');
    assert.equal(flagsOf('testq %rax, %rax', { rax: 1n << 63n }), '0010');
    assert.equal(flagsOf('negq %rax', { rax: 0n }), '0100');
    assert.equal(flagsOf('shlq $1, %rax', { rax: 1n << 63n }).slice(0, 2), '11');
    assert.equal(flagsOf('shrq $1, %rax', { rax: 3n }).slice(0, 2), '10');
    // With the carry of the comparison the largest signed number becomes the smallest.
    const carried = 'cmpq %rbx, %rax\nadcq $0, %rcx';
    assert.equal(flagsOf(carried, { rax: 1n, rbx: 2n, rcx: (1n << 63n) - 1n }), '0011');
    assert.equal(flagsOf(carried, { rax: 2n, rbx: 2n, rcx: (1n << 63n) - 1n }), '0000');
    // INC leaves the carry of the ADD before it.
    assert.equal(flagsOf('addq %rbx, %rax\nincq %rcx', { rax: ones, rbx: 1n, rcx: 0n }).slice(0, 2), '10');
    assert.equal(flagsOf('incq %rcx', { rcx: (1n << 63n) - 1n }).slice(1), '011');
  });

  it('knows the parity of the low byte', () => {
    const parity = (rax: bigint): bigint | undefined => after('testb $0xff, %al\nsetp %cl', { rax })['rcx'];
    assert.equal(parity(0x103n), 1n);
    assert.equal(parity(0x7n), 0n);
    assert.equal(parity(0n), 1n);
  });

  it('names conditions by the operands as written', () => {
    const fn = routine(
      [
        '1: cmpq $TLB_FLUSH_ALL, 8(%rdi)',
        'jne 1b',
        'testq %rbx, %rbx',
        'jz 1b',
        'testb $3, CS(%rsp)',
        'jnz 1b',
        'bt $12, %rax',
        'jc 1b',
        'decl %ecx',
        'jnz 1b',
      ].join('\n'),
    );
    assert.deepEqual(branches(fn), [
      '8(%rdi) != TLB_FLUSH_ALL',
      '%rbx == 0',
      '(CS(%rsp) & 3) != 0',
      'bit 12 of %rax is set',
      '%ecx != 0',
    ]);
  });
});

describe('x86-64: system instructions', () => {
  it('lowers control registers, invalidations and fences to operations', () => {
    const fn = routine(
      [
        'mov %cr3, %rax',
        'mov %rax, %cr3',
        'movq %cr4, %rdi',
        'and $~X86_CR4_PGE, %rdi',
        'movq %rdi, %cr4',
        'invlpg 16(%rsi)',
        'lfence',
        'mfence',
        'lock btr $1, (%rdi)',
        'xchg %rax, (%rdi)',
        'cpuid',
        'vmcall',
        'tlbsync',
        'invlpgb',
        '.byte 0x0f, 0x01, 0xff',
      ].join('\n'),
    );
    assert.deepEqual(operations(fn), [
      ...['CR3_READ', 'CR3_WRITE', 'CR4_READ', 'CR4_WRITE', 'INVLPG', 'LFENCE', 'MFENCE', 'ATOMIC', 'ATOMIC'],
      ...['SERIALIZE', 'HYPERCALL', 'TLBSYNC', 'INVLPGB', 'TLBSYNC'],
    ]);
    assert.deepEqual(unknowns(fn), []);
    const trace = run(fn, {
      registers: { CR3_READ: 0x1000n, CR4_READ: 0x2a0n, rsi: 0x5000n, rsp: 0x8000n },
    }).trace;
    assert.deepEqual(trace.slice(0, 5), [
      'CR3_READ',
      'CR3_WRITE 1000',
      'CR4_READ',
      'CR4_WRITE 220',
      'INVLPG 5010',
    ]);
  });

  it('tells the types of INVPCID by a constant in the type register, and admits where it cannot', () => {
    const types = ['INVPCID_ADDR', 'INVPCID_CTX', 'INVPCID_ALL_GLOBAL', 'INVPCID_ALL'];
    types.forEach((name, type) => {
      assert.deepEqual(operations(routine(`movl $${type}, %eax\ninvpcid (%rsp), %rax`)), [name]);
    });
    const open = ['INVPCID'];
    assert.deepEqual(operations(routine('invpcid (%rsp), %rax')), open);
    assert.deepEqual(operations(routine('movl $1, %eax\nmovq %rdx, %rax\ninvpcid (%rsp), %rax')), open);
    assert.deepEqual(operations(routine('movl $1, %eax\n1: invpcid (%rsp), %rax\njmp 1b')), open);
    assert.deepEqual(run(routine('invpcid (%rsp), %rax'), { registers: { rax: 2n } }).trace, ['INVPCID 2']);
  });

  it('keeps what it does not know, by name, and forgets the register it may have written', () => {
    const fn = routine('tqinsn %rax, %rbx\nverw 8(%rsp)\ninvept (%rdi), %rax');
    assert.deepEqual(unknowns(fn), ['tqinsn', 'verw', 'invept']);
    const [step, lost] = fn.code;
    assert.ok(step?.op === 'unknown' && step.dst === null);
    assert.ok(lost?.op === 'unknown' && lost.dst !== null);
    assert.equal(fn.names[lost.dst], 'rbx');
  });

  it('reads MSRs into EDX:EAX', () => {
    const fn = routine('movl $0x48, %ecx\nrdmsr\nshl $32, %rdx\nor %rdx, %rax\nwrmsr');
    assert.deepEqual(unknowns(fn), []);
    assert.deepEqual(run(fn).trace, ['rdmsr', 'wrmsr']);
  });

  it('calls by name and through registers, and ends at IRET and SYSRET', () => {
    const fn = routine(
      'movq %rsp, %rdi\nmovq $1, %rsi\ncall tq_c\ncall *%rbx\nswapgs\nsysretq\nmov %rax, %cr3',
    );
    assert.deepEqual(run(fn).trace, ['call tq_c', 'call *', 'swapgs', 'sysretq']);
    const call = fn.code.find(instruction => instruction.op === 'call');
    assert.ok(call?.op === 'call');
    assert.deepEqual(
      call.args.map(register => fn.names[register]),
      ['rdi', 'rsi'],
    );
  });

  it('copies and fills with REP', () => {
    const fn = routine('rep movsq');
    const result = run(fn, { registers: { rcx: 4n, rdi: 0x1000n, rsi: 0x2000n } });
    assert.deepEqual(result.trace, ['memcpy']);
    assert.deepEqual(
      [result.registers['rcx'], result.registers['rdi'], result.registers['rsi']],
      [0n, 0x1020n, 0x2020n],
    );
  });

  it('names per-CPU data, members by their offset names, and globals', () => {
    const fn = routine(
      [
        'movq PER_CPU_VAR(cpu_tlbstate + TLB_STATE_user_pcid_flush_mask), %rax',
        'movq PER_CPU_VAR(cpu_tlbstate) + TLB_STATE_user_pcid_flush_mask, %rax',
        'movq %gs:tq_per_cpu(%rip), %rax',
        'movq tq_global+16(%rip), %rax',
        'movq VCPU_cr3(%rbx), %rax',
        'movq STACK_CPUINFO_FIELD(xen_cr3)(%r14), %rax',
        'movq tq_table(, %rcx, 8), %rax',
      ].join('\n'),
    );
    const places = fn.code.flatMap(instruction => {
      if (instruction.op === 'address') return [`${instruction.kind} ${instruction.name}`];
      if (instruction.op === 'field') return [`${instruction.struct ?? '?'}.${instruction.member}`];
      return instruction.op === 'index' ? [`[] ${instruction.element}`] : [];
    });
    assert.deepEqual(places, [
      ...['per-cpu cpu_tlbstate', 'tlb_state.user_pcid_flush_mask'],
      ...['per-cpu cpu_tlbstate', 'tlb_state.user_pcid_flush_mask'],
      'per-cpu tq_per_cpu',
      ...['global tq_global', '[] unsigned long'],
      'vcpu.cr3',
      'cpu_info.xen_cr3',
      ...['global tq_table', '[] unsigned long'],
    ]);
  });
});
