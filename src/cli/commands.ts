/** The sub-commands of the command line. A new one is one new file and one line here. */
import type { Command } from './command';
import { costCommand } from './cost';
import { machinesCommand } from './machines';
import { operationsCommand } from './operations';
import { parseCommand } from './parse';
import { reproduceCommand } from './reproduce';
import { runCommand } from './run';
import { scenariosCommand } from './scenarios';

export const commands: readonly Command[] = [
  parseCommand,
  costCommand,
  runCommand,
  scenariosCommand,
  reproduceCommand,
  machinesCommand,
  operationsCommand,
];
