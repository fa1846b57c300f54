/** What a sub-command of the command line is. One file per command; `main.ts` has the table. */
import type { ParseArgsConfig } from 'node:util';

/** Exit codes of the contract. */
export const enum Exit {
  Fine = 0,
  /** A finding, under `--check`. */
  Finding = 1,
  /** Bad usage or bad input. */
  Bad = 2,
}

/** Bad usage or input: `main.ts` prints the message as one line on stderr and exits with 2. */
export class InputError extends Error {
  override readonly name = 'InputError';
}

/** Options as `node:util` parseArgs gives them. `json` and `help` are added to every command. */
export type CommandOptions = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

/** What a command is given. */
export interface CommandContext {
  readonly positionals: readonly string[];
  readonly options: CommandOptions;
  /** True with `--json`. */
  readonly json: boolean;
  /** Writes text to stdout as it is; big output should be written in a few large pieces. */
  readonly write: (text: string) => void;
  /** Writes one line to stderr: a remark, not an error. */
  readonly note: (line: string) => void;
}

export interface Command {
  readonly name: string;
  /** What stands behind the name in the usage line, such as `FILE`. */
  readonly usage: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** Options beside `--json` and `--help`. */
  readonly options: NonNullable<ParseArgsConfig['options']>;
  /** Lines about the options, for `--help`. */
  readonly help: readonly string[];
  /** Least and greatest number of positional arguments. */
  readonly positionals: readonly [least: number, greatest: number];
  /** Throws {@link InputError} for bad usage or input; any other exception is a bug of ours. */
  run(context: CommandContext): Exit | Promise<Exit>;
}
