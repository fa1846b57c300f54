/** How runs and primitives end. */

/** How a run ended. */
export const enum Verdict {
  None,
  /** All tasks are done. */
  Finished,
  /** Something on the path could not be known. */
  Unknown,
  Deadlock,
  /** A limit was hit. */
  Unbounded,
  /** An access that hardware or C does not allow. */
  Fault,
}

/** What {@link Gw.VerdictDetail} means, by verdict. */
export const enum Detail {
  Trap = 0x1000_0000,
  Uninitialised = 0x2000_0000,
  Feature = 0x3000_0000,
  Primitive = 0x4000_0000,
  Code = 0x5000_0000,
  KindMask = 0x7000_0000,
  ValueMask = 0x0fff_ffff,
}

/** Codes of {@link Detail.Code}. */
export const enum Stop {
  NullPointer,
  BadAddress,
  Unaligned,
  DivideByZero,
  NotAFunction,
  TooFewArguments,
  StackOverflow,
  RegistersUsedUp,
  TooDeep,
  Budget,
  Hardware,
  NoHandler,
  Bug,
  BitOutside,
  Memory,
  NoCpu,
  TooManyArguments,
  NoSuchOperation,
  NoCurrent,
  LockHeld,
  PartOfSlot,
}

/** What a primitive answers. */
export const enum Outcome {
  Done,
  /** It is run again when what it waits for may have happened. */
  Wait,
  /** The run is over; {@link Core.stop} has been called. */
  Stop,
  /** A handler runs first: {@link Core.exception} has been called. */
  Exception,
}
