/** `tlbscope scenarios`: the built-in scenarios, all or those that say something about a file. */
import { readPatch } from '../patch/read';
import { fitting, type Subject } from '../scenario/appliesTo';
import { builtinScenarios } from '../scenario/builtin';
import { checkScenario } from '../scenario/check';
import { patchSubject, textSubject } from '../scenario/subject';
import { Exit, type Command, type CommandContext } from './command';
import { readPatchBytes } from './input';
import { tableText } from './table';

/** A patch is about what its hunks show; any other file is about itself. */
function subjectOf(path: string): Subject {
  const text = new TextDecoder().decode(readPatchBytes(path));
  const { files } = readPatch(text);
  return files.length === 0 ? textSubject(path, text) : patchSubject(files);
}

function run({ options, json, write }: CommandContext): Exit {
  const file = options['for'];
  const subject = typeof file === 'string' ? subjectOf(file) : null;
  const known = builtinScenarios.flatMap(({ name, text }) => {
    const checked = checkScenario(text);
    if (!checked.ok) throw new Error(`the built-in scenario ${name}: ${checked.diagnostics[0]!.message}`);
    const { title, about, appliesTo, kernel, cpus, parameters, variants } = checked.scenario;
    const because = subject ? fitting(appliesTo, subject) : [];
    if (subject && because.length === 0) return [];
    const swept = Object.fromEntries(parameters.map(one => [one.name, one.values]));
    return [
      {
        ...{ name, title, about, appliesTo, because, kernel, cpus, parameters: swept },
        variants: Object.fromEntries(variants.map(one => [one.name, one.patches])),
      },
    ];
  });
  if (json) write(`${JSON.stringify({ scenarios: known }, null, 2)}\n`);
  else if (known.length === 0) write('No built-in scenario applies.\n');
  else
    write(
      tableText([
        ['scenario', 'variants', subject ? 'applies to' : 'title'],
        ...known.map(one => [
          one.name,
          Object.keys(one.variants).join(', '),
          subject ? one.because.join(', ') : one.title,
        ]),
      ]),
    );
  return Exit.Fine;
}

export const scenariosCommand: Command = {
  name: 'scenarios',
  usage: '',
  summary: 'List the built-in scenarios.',
  options: { for: { type: 'string' } },
  help: ['--for FILE    only those that say something about a patch or a source file'],
  positionals: [0, 0],
  run,
};
