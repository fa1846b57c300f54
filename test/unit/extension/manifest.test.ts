import { strict as assert } from 'node:assert';
import { readdirSync, readFileSync } from 'node:fs';
import { hoverCommands } from '../../../src/extension/present/hover';
import { switchNames } from '../../../src/extension/present/switches';
import { defaultMachineId, machineProfiles } from '../../../src/machine/registry';

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    readonly keybindings: readonly { readonly command: string }[];
    readonly menus: { readonly commandPalette: readonly { readonly command: string }[] };
    readonly colors: readonly { readonly id: string }[];
    readonly configuration: {
      readonly properties: Readonly<
        Record<
          string,
          { enum?: string[]; enumDescriptions?: string[]; default: unknown; markdownDescription: string }
        >
      >;
    };
  };
}

const read = (path: string): string => readFileSync(path, 'utf8');
const { contributes } = JSON.parse(read('package.json')) as Manifest;
const properties = contributes.configuration.properties;

/** Names that the sources mention, by a pattern with one group. */
const mentioned = (path: string, pattern: RegExp): string[] =>
  [...new Set([...read(path).matchAll(pattern)].map(match => match[1]!))].sort();

/** Modules with a table of commands. */
const tables = [
  'src/extension/commands.ts',
  'src/extension/scenarios/commands.ts',
  'src/extension/panel/commands.ts',
  'src/extension/reproduce.ts',
];

describe('package.json', () => {
  const commands = contributes.commands.map(({ command }) => command).sort();

  it('contributes the commands of the command table', () => {
    const entry = /^ {2}'(tlbscope\.[A-Za-z.]+)':/gm;
    assert.deepEqual(tables.flatMap(path => mentioned(path, entry)).sort(), commands);
  });

  it('binds keys and menus to commands that exist, and hovers run no other', () => {
    const used = [...contributes.keybindings, ...contributes.menus.commandPalette].map(
      ({ command }) => command,
    );
    for (const command of [...used, ...hoverCommands]) assert.ok(commands.includes(command), command);
  });

  it('has a setting for each switch, and the settings that are read', () => {
    const shown = Object.keys(properties).filter(name => name.startsWith('tlbscope.show.'));
    assert.deepEqual(shown.sort(), switchNames.map(name => `tlbscope.show.${name}`).sort());
    const others = Object.keys(properties)
      .filter(name => !name.startsWith('tlbscope.show.'))
      .map(name => name.replace('tlbscope.', ''));
    const source = read('src/extension/settings.ts');
    for (const name of others) assert.ok(source.includes(`'${name}'`), name);
    for (const [name, { markdownDescription }] of Object.entries(properties))
      assert.ok(markdownDescription, name);
  });

  it('offers every machine by its id, described by its name', () => {
    const machine = properties['tlbscope.machine']!;
    assert.deepEqual(
      machine.enum,
      machineProfiles.map(({ id }) => id),
    );
    assert.deepEqual(
      machine.enumDescriptions,
      machineProfiles.map(({ name }) => name),
    );
    assert.equal(machine.default, defaultMachineId);
  });

  it('contributes the colours that are used', () => {
    const inEditor = ['src/extension/providers/ruler.ts', 'src/extension/panel/lines.ts'].flatMap(path =>
      mentioned(path, /'(tlbscope\.(?:dearer|cheaper|unchanged|unknown|currentLine))'/g),
    );
    const inPage = readdirSync('webview').flatMap(file =>
      mentioned(`webview/${file}`, /--vscode-(tlbscope-[A-Za-z]+)/g),
    );
    // VS Code makes a variable of an id by replacing its first point only.
    const used = [...inEditor, ...inPage.map(name => name.replace('-', '.'))];
    assert.deepEqual([...new Set(used)].sort(), contributes.colors.map(({ id }) => id).sort());
  });
});
