import * as vscode from 'vscode';
import { equal, ok } from './assert';
import { extensionId, open } from './editor';
import { hostKind } from './setup';

describe('activation', () => {
  it(`runs in the ${hostKind} extension host`, () => {
    equal(typeof process === 'undefined', hostKind === 'web', 'no process object in the browser');
  });

  it('is active once a patch is open', async () => {
    const extension = vscode.extensions.getExtension<{ activationMilliseconds: number }>(extensionId);
    ok(extension, 'the extension is there');
    await open('examples/01-user-flush-deferred.patch');
    const { activationMilliseconds } = await extension.activate();
    ok(extension.isActive, 'active');
    // The goal is 20 ms on an idle machine; a test cannot hold a busy one to it.
    console.log(`    activate() took ${activationMilliseconds.toFixed(1)} ms`);
  });

  it('registers every command that package.json contributes, and no other', async () => {
    const extension = vscode.extensions.getExtension(extensionId);
    const { contributes } = extension?.packageJSON as { contributes: { commands: { command: string }[] } };
    const registered = (await vscode.commands.getCommands(true)).filter(name =>
      /^tlbscope\.[A-Za-z]+$/.test(name),
    );
    equal(registered.sort(), contributes.commands.map(({ command }) => command).sort(), 'commands');
  });
});
