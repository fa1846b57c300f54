import { strict as assert } from 'node:assert';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { hoverCommands } from '../../../src/extension/present/hover';
import { switchNames } from '../../../src/extension/present/switches';
import { defaultMachineId, machineProfiles } from '../../../src/machine/registry';

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    readonly keybindings: readonly { readonly command: string }[];
    readonly menus: Readonly<Record<string, readonly { readonly command: string; readonly when?: string }[]>>;
    readonly views: Readonly<Record<string, readonly { readonly id: string; readonly icon: string }[]>>;
    readonly viewsWelcome: readonly { readonly view: string; readonly contents: string }[];
    readonly walkthroughs: readonly {
      readonly steps: readonly {
        readonly description: string;
        readonly media: { readonly svg: string };
        readonly completionEvents: readonly string[];
      }[];
    }[];
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
    const used = [...contributes.keybindings, ...Object.values(contributes.menus).flat()].map(
      ({ command }) => command,
    );
    for (const command of [...used, ...hoverCommands]) assert.ok(commands.includes(command), command);
  });

  it('has the views that are made, each with its icon', () => {
    const views = Object.values(contributes.views).flat();
    const made = ['src/extension/scenarios/tree.ts', 'src/extension/panel/views.ts'].flatMap(path =>
      mentioned(path, /'(tlbscope\.(?:scenarios|panel))'/g),
    );
    assert.deepEqual([...new Set(made)].sort(), views.map(({ id }) => id).sort());
    for (const { icon } of views) assert.ok(existsSync(icon), icon);
  });

  it('packages every picture, schema and entry that it names', () => {
    const kept = read('.vscodeignore').split('\n');
    const named = [...read('package.json').matchAll(/"(?:\.\/)?((?:media|schemas|dist)\/[^"]+)"/g)].map(
      match => match[1]!,
    );
    assert.ok(named.length > 10);
    for (const path of named)
      assert.ok(
        kept.includes(`!${path}`) || kept.includes(`!${path.slice(0, path.lastIndexOf('/'))}/**`),
        path,
      );
  });

  it('runs only commands that exist from empty views and the walkthrough, which has its pictures', () => {
    const { viewsWelcome, walkthroughs } = contributes;
    const steps = walkthroughs.flatMap(one => one.steps);
    const texts = [...viewsWelcome.map(({ contents }) => contents), ...steps.map(one => one.description)];
    const linked = texts.flatMap(text => [...text.matchAll(/\(command:([\w.]+)/g)].map(match => match[1]!));
    const awaited = steps.flatMap(one => one.completionEvents.map(event => event.replace('onCommand:', '')));
    for (const command of [...linked, ...awaited])
      if (command.startsWith('tlbscope.') && !command.endsWith('.focus'))
        assert.ok(commands.includes(command), command);
    assert.equal(steps.length, 4);
    for (const { media } of steps) {
      assert.ok(existsSync(media.svg), media.svg);
      // Style sheets do not reach the picture: its colours are attributes.
      assert.ok(!/style=|<script|href=/.test(read(media.svg)), media.svg);
    }
  });

  it('explains every command of the palette that is about scenarios in docs/editor.md', () => {
    const text = read('docs/editor.md');
    const titles = JSON.parse(read('package.json')) as {
      contributes: { commands: { command: string; title: string }[] };
    };
    const mine = mentioned('src/extension/scenarios/commands.ts', /^ {2}'(tlbscope\.[A-Za-z.]+)':/gm);
    for (const { command, title } of titles.contributes.commands)
      if (mine.includes(command)) assert.ok(text.includes(title), title);
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
