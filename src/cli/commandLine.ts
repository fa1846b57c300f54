/** The command line: finds the sub-command, reads its options, turns errors into one line and an exit code. */
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { version } from '../../package.json';
import { commands } from './commands';
import { Exit, InputError, type Command, type CommandOptions } from './command';

/** What the command line writes to. */
export interface Streams {
  out(text: string): void;
  error(text: string): void;
}

const commonOptions: NonNullable<ParseArgsConfig['options']> = {
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
};

function overview(): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return [
    'Usage: tlbscope COMMAND [OPTIONS]',
    '',
    'What a TLB patch costs, before anyone boots it.',
    '',
    ...lines,
    '',
    "'tlbscope COMMAND --help' explains one. Every command has --json. - is standard input.",
    'Exit code: 0 fine, 1 a finding under --check, 2 bad usage or input.',
    '',
  ].join('\n');
}

function commandHelp(command: Command): string {
  return [
    `Usage: tlbscope ${command.name} ${command.usage}`.trimEnd(),
    '',
    command.summary,
    '',
    ...[...command.help, '--json    one JSON document', '--help    this text'].map(line => `  ${line}`),
    '',
  ].join('\n');
}

/** Arguments as the command wants them; throws {@link InputError}. */
function readArguments(
  command: Command,
  args: readonly string[],
): { values: CommandOptions; positionals: string[] } {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { ...command.options, ...commonOptions },
      allowPositionals: true,
      strict: true,
    });
    return { values, positionals };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    // Node adds advice in further sentences; the first says what is wrong.
    throw new InputError(text.split('\n')[0]!.split('. ')[0]);
  }
}

function checkPositionals(command: Command, count: number): void {
  const [least, greatest] = command.positionals;
  const usage = `usage: tlbscope ${command.name} ${command.usage}`.trimEnd();
  if (count < least) throw new InputError(`an argument is missing; ${usage}`);
  if (count > greatest) throw new InputError(`too many arguments; ${usage}`);
}

async function runCommand(command: Command, args: readonly string[], streams: Streams): Promise<Exit> {
  const { values, positionals } = readArguments(command, args);
  if (values['help'] === true) {
    streams.out(commandHelp(command));
    return Exit.Fine;
  }
  checkPositionals(command, positionals.length);
  return command.run({
    positionals,
    options: values,
    json: values['json'] === true,
    write: text => streams.out(text),
    note: line => streams.error(`tlbscope: ${line}\n`),
  });
}

/** Runs the command line `args` (without node and script); never throws. */
export async function runCommandLine(args: readonly string[], streams: Streams): Promise<Exit> {
  const [name, ...rest] = args;
  if (name === '--help' || name === '-h' || name === 'help') {
    streams.out(overview());
    return Exit.Fine;
  }
  if (name === '--version') {
    streams.out(`${version}\n`);
    return Exit.Fine;
  }
  const command = commands.find(known => known.name === name);
  try {
    if (name === undefined) throw new InputError("a command is missing; see 'tlbscope --help'");
    if (!command) throw new InputError(`no command '${name}'; see 'tlbscope --help'`);
    return await runCommand(command, rest, streams);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    const line = text.split('\n')[0]!;
    const prefix = command ? `tlbscope ${command.name}` : 'tlbscope';
    streams.error(`${prefix}: ${error instanceof InputError ? line : `internal error: ${line}`}\n`);
    return Exit.Bad;
  }
}
