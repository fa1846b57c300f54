/** The process's own part of the command line. */
import { writeSync } from 'node:fs';
import { runCommandLine } from './commandLine';

/** Whoever read our output has gone (`tlbscope … | head`): nothing is left to do. */
process.stdout.on('error', () => process.exit(0));

void runCommandLine(process.argv.slice(2), {
  out: text => void process.stdout.write(text),
  error: text => void writeSync(2, text),
}).then(code => {
  process.exitCode = code;
});
