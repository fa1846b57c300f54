/**
 * The intermediate representation that C and assembly are lowered to.
 * One IR serves pricing (`src/cost`) and execution (`src/vm`), so it carries everything needed to run the code.
 *
 * Shape: a register machine. A function is a list of instructions; branch targets are instruction indexes.
 * Registers are numbered per function; parameters come first. Every value is kept normalised to its C type
 * (sign- or zero-extended to 64 bits). Memory is addressed by name: a `field` instruction turns the address of a
 * struct and a member name into the address of the member, so no compiler layout is needed.
 */
import type { SourceUnit } from './source';

/** A register of one function. */
export type Register = number;

/** An integer type: width in bits and signedness. Pointers are `{ bits: 64, signed: false }`. `bool` is 1 bit. */
export interface IntegerType {
  readonly bits: 1 | 8 | 16 | 32 | 64;
  readonly signed: boolean;
}

export type UnaryOperator = 'neg' | 'not' | 'lnot';

/** `lt`…`ge` compare by the operands' common type, given in `type`; their result is 0 or 1. */
export type BinaryOperator =
  | 'add'
  | 'sub'
  | 'mul'
  | 'div'
  | 'mod'
  | 'and'
  | 'or'
  | 'xor'
  | 'shl'
  | 'shr'
  | 'eq'
  | 'ne'
  | 'lt'
  | 'le'
  | 'gt'
  | 'ge';

/** How a feature test is answered. */
export type FeatureKind =
  /** `static_cpu_has`, `boot_cpu_has`, `cpu_feature_enabled`, ALTERNATIVE…: `X86_FEATURE_PTI` is `PTI`. */
  | 'cpu'
  /** `this_cpu_has`. */
  | 'this-cpu'
  /** A static key (`static_branch_likely(&key)`), by the key's own name. */
  | 'key'
  /** `IS_ENABLED(CONFIG_X)`, `#ifdef CONFIG_X` that was kept as a branch. */
  | 'config';

/** Fields that every instruction has. */
interface Base {
  /** Index into `unit.lines` of the line that caused it (of a macro: the line of the call). */
  readonly line: number;
}

export type Instruction =
  /** `value` is the 64-bit pattern: 0 ≤ value < 2^64. */
  | (Base & { readonly op: 'const'; readonly dst: Register; readonly value: bigint })
  /**
   * Address of a global, a per-CPU variable (`per-cpu`: its address on the executing CPU; `global` of a per-CPU variable
   * is the offset that the primitives `per_cpu_ptr` and `this_cpu_ptr` take), a function, a variable of the function
   * that lives in memory, or a string. A `global` that nothing defines is a name the text does not declare.
   */
  | (Base & {
      readonly op: 'address';
      readonly dst: Register;
      readonly name: string;
      readonly kind: 'global' | 'per-cpu' | 'function' | 'local' | 'string';
    })
  | (Base & { readonly op: 'move'; readonly dst: Register; readonly a: Register })
  | (Base & {
      readonly op: 'unary';
      readonly dst: Register;
      readonly operator: UnaryOperator;
      readonly a: Register;
      readonly type: IntegerType;
    })
  | (Base & {
      readonly op: 'binary';
      readonly dst: Register;
      readonly operator: BinaryOperator;
      readonly a: Register;
      readonly b: Register;
      readonly type: IntegerType;
    })
  /** Normalises `a` to `type`. */
  | (Base & { readonly op: 'cast'; readonly dst: Register; readonly a: Register; readonly type: IntegerType })
  /** `&base->member`. `struct` is the tag where it is known, else null; `bits` is set for a bit-field. */
  | (Base & {
      readonly op: 'field';
      readonly dst: Register;
      readonly base: Register;
      readonly struct: string | null;
      readonly member: string;
      readonly bits: { readonly width: number } | null;
    })
  /** `&base[index]`; `element` names the element's type as written, for pointer arithmetic and sizes. */
  | (Base & {
      readonly op: 'index';
      readonly dst: Register;
      readonly base: Register;
      readonly index: Register;
      readonly element: string;
    })
  | (Base & {
      readonly op: 'load';
      readonly dst: Register;
      readonly address: Register;
      readonly type: IntegerType;
    })
  | (Base & {
      readonly op: 'store';
      readonly address: Register;
      readonly value: Register;
      readonly type: IntegerType;
    })
  /** `sizeof(type)` where no layout is known: symbolic until link. */
  | (Base & { readonly op: 'sizeof'; readonly dst: Register; readonly type: string })
  | (Base & { readonly op: 'jump'; readonly target: number })
  /**
   * To `target` if `condition` is not zero, else to the next instruction.
   * `text` is the source of the condition, `likely` the hint written in the source.
   */
  | (Base & {
      readonly op: 'branch';
      readonly condition: Register;
      readonly target: number;
      readonly text: string;
      readonly likely: boolean | null;
    })
  | (Base & {
      readonly op: 'feature';
      readonly dst: Register;
      readonly feature: string;
      readonly kind: FeatureKind;
      readonly default: boolean | null;
    })
  /**
   * A call of `callee`; of `pointer` when `callee` is null. `text` is the call as written, for messages.
   * A struct by value is passed and returned as the address of an object; who receives it copies it at once
   * (primitive `struct_copy`), before anything else runs.
   */
  | (Base & {
      readonly op: 'call';
      readonly dst: Register | null;
      readonly callee: string | null;
      readonly pointer: Register | null;
      readonly args: readonly Register[];
      readonly text: string;
    })
  /**
   * An architectural operation that the code itself issues (from inline assembly or an instruction):
   * `name` is one of the operations of the design (`INVLPG`, …), except that a CR3 write is always `CR3_WRITE`
   * (flushing or not is decided by the value, `args[0]`), and that C's INVPCID is `INVPCID`: its type is `args[0]`, the
   * address of its descriptor `args[1]`. `INVLPGB` has rAX, ECX and EDX as arguments.
   */
  | (Base & {
      readonly op: 'operation';
      readonly name: string;
      /** Which of the instructions that share the name: the spelling of a TLBI (`vale1is`), the kind of a DSB (`ishst`). */
      readonly form?: string;
      readonly dst: Register | null;
      readonly args: readonly Register[];
    })
  /**
   * A primitive of the kernel that must be one indivisible step, or whose meaning is not C
   * (`atomic64_inc_return`, `set_bit`, `this_cpu_add_return`, `local_irq_save`, `smp_processor_id`, …), by its kernel name.
   */
  | (Base & {
      readonly op: 'primitive';
      readonly name: string;
      readonly dst: Register | null;
      readonly args: readonly Register[];
    })
  /** Something that could not be read or is not defined anywhere; running or pricing it gives `unknown` with `why`. */
  | (Base & {
      readonly op: 'unknown';
      readonly dst: Register | null;
      readonly name: string;
      readonly why: string;
    })
  | (Base & { readonly op: 'return'; readonly value: Register | null });

/** The type of something that lives in memory. */
export type IrType =
  | ({ readonly kind: 'integer' } & IntegerType)
  /** `to`: the type pointed to, as text. */
  | { readonly kind: 'pointer'; readonly to: string }
  | { readonly kind: 'struct'; readonly tag: string }
  /** `length` is null where no text at hand says it. */
  | { readonly kind: 'array'; readonly of: IrType; readonly length: number | null }
  | { readonly kind: 'unknown'; readonly name: string };

/** A struct or union. Only the members that the code names are listed, in the order of the definition. */
export interface IrStruct {
  readonly tag: string;
  readonly union: boolean;
  readonly members: readonly { readonly name: string; readonly type: IrType; readonly bits: number | null }[];
}

/** The value that an initialiser gives to a part of a variable; parts that none names are 0. */
export interface IrInitialiser {
  /** Members and indexes from the variable down; empty for the variable itself. */
  readonly path: readonly (string | number)[];
  readonly value:
    | { readonly kind: 'constant'; readonly value: bigint }
    | { readonly kind: 'address'; readonly of: 'function' | 'global'; readonly name: string }
    | { readonly kind: 'unknown'; readonly text: string };
  readonly line: number;
}

/** A variable at file level, or a static variable of a function (`function.name`). */
export interface IrVariable {
  readonly name: string;
  readonly unit: SourceUnit;
  readonly line: number;
  readonly type: IrType;
  readonly perCpu: boolean;
  /** Only declared (`extern`): its definition, and so its value, is not at hand. */
  readonly external?: boolean;
  /** A fragment shows only a part of the initialiser. */
  readonly partial: boolean;
  readonly initialisers: readonly IrInitialiser[];
}

/** A function of C, or a macro or routine of assembly. */
export interface IrFunction {
  readonly name: string;
  readonly unit: SourceUnit;
  readonly language: 'c' | 'asm';
  /** What it is in the source. An `asm-macro` has one parameter register per macro parameter. */
  readonly kind: 'function' | 'asm-macro' | 'asm-routine';
  /** First and last line of the definition, as indexes into `unit.lines`. */
  readonly firstLine: number;
  readonly lastLine: number;
  readonly parameters: readonly { readonly name: string; readonly type: string }[];
  /** Type of every register, the parameters' first. */
  readonly registers: readonly IntegerType[];
  /** Source names of the registers that are variables (asm: `rax`, …), for messages; '' for temporaries. */
  readonly names: readonly string[];
  readonly code: readonly Instruction[];
  /** Variables of the function that live in memory (`address` of kind `local`). */
  readonly locals?: readonly { readonly name: string; readonly type: IrType }[];
  /** Why this function could not be understood, or null. Then `code` holds one `unknown` instruction: never half-read. */
  readonly unreadable: string | null;
  /** True when the fragment does not show the whole body (cut by the edge of a hunk). */
  readonly partial: boolean;
  /** True when a missing heading or brace had to be made up for it. */
  readonly repaired: boolean;
  /**
   * Assembly: macros whose bodies were expanded into this one (also through each other). They are no calls in `code`,
   * but they are callees where it is asked who reaches whom.
   */
  readonly expands?: readonly string[];
}

/** Something the reader wants to say about the code, at a line of its unit. */
export interface CodeFinding {
  readonly kind: string;
  readonly unit: SourceUnit;
  readonly line: number;
  readonly message: string;
}

/** What a front end returns for a set of units. */
export interface IrModule {
  readonly functions: readonly IrFunction[];
  readonly findings: readonly CodeFinding[];
  /**
   * Line indexes, per unit, that belong to code which could not be read, with the reason: there the recogniser by
   * name is the fallback.
   */
  readonly unread: readonly {
    readonly unit: SourceUnit;
    readonly firstLine: number;
    readonly lastLine: number;
    readonly why: string;
  }[];
  /** Configuration symbols that decided something, with the value assumed. */
  readonly assumedConfig: ReadonlyMap<string, boolean>;
  /** Variables of the units, and those that the code names. */
  readonly variables?: readonly IrVariable[];
  /** Structs that the code names members of. */
  readonly structs?: readonly IrStruct[];
}
