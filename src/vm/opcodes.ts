/**
 * The linked instruction set. An instruction is {@link instructionWords} Int32 words: the operation and operands a, b,
 * c, d. Operands that are registers count from the frame of the running function. Values are 64 bits wide and always
 * normalised to their C type, so comparisons and logic need no width.
 */
export const instructionWords = 5;

export const enum Op {
  /** Trap: reason a. */
  Unknown,
  /** a = (b, c): low and high half. */
  Const,
  /** a = b. */
  Move,
  /** a = b + c, 64 bits; and so on. */
  Add,
  Sub,
  Mul,
  DivU,
  DivS,
  ModU,
  ModS,
  And,
  Or,
  Xor,
  Shl,
  ShrU,
  ShrS,
  /** 32-bit forms whose result is sign-extended. */
  Add32,
  Sub32,
  Mul32,
  Shl32,
  ShrS32,
  /** 32-bit forms whose result is zero-extended. */
  AddU32,
  SubU32,
  MulU32,
  ShlU32,
  ShrU32,
  /** a = b compared with c: 0 or 1. */
  Eq,
  Ne,
  LtS,
  LtU,
  LeS,
  LeU,
  /** a = -b, ~b, !b. */
  Neg,
  Not,
  Lnot,
  /** a = b cut to class c (see `kinds.ts`). */
  Cut,
  /** a = b + constant c (a field of a struct). */
  AddConst,
  /** a = b + c × constant d (an element of an array). */
  Index,
  /** a = address of the executing CPU's copy of the per-CPU variable at offset b. */
  PerCpu,
  /** a = address of the memory variable at offset b of the running function. */
  Local,
  /** a = 64 bits at address b. */
  Load,
  /** a = value of class c at address b. */
  LoadCut,
  /** Address a = b, of class c. */
  Store,
  /** To instruction a. */
  Jump,
  /** To instruction b if a is not zero. */
  Branch,
  /** To instruction b if a is zero. */
  BranchZero,
  /** a = feature b. */
  Feature,
  /**
   * Calls function a; its frame begins at register b; the result goes to register c (-1: nowhere); d: slots of memory
   * of the function that calls.
   */
  Call,
  /** Calls the function whose address is in a; as Call; d: number of arguments. */
  CallPointer,
  /** Returns register a (-1: nothing). */
  Return,
  /** Operation a; result to b (-1); operands c and d (-1). */
  Operation,
  /** Primitive a (low 16 bits; class of the result above); result to b; operands c and d, or from c on if more than 2. */
  Primitive,
  /** Stops with an uninitialised read of the variable that reason b names, if register a is 0. */
  CheckDefined,
  /** Copies registers of the machine (assembly) into the frame, by list a. */
  Reload,
  /** Copies registers of the frame to those of the machine, by list a. */
  Spill,
  /** Register b = machine register a; and back. */
  ReadMachine,
  WriteMachine,
  /** Assembly's call of assembly: pushes the place to return to, function a. */
  CallRoutine,
  /** Assembly goes on in function a without a return address. */
  JumpRoutine,
  /** Return of an assembly routine. */
  ReturnRoutine,
}
