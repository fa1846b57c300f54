/** docs/machine-rules.md names every option and only tests that exist. */
import { strict as assert } from 'node:assert';
import { existsSync, readFileSync } from 'node:fs';

const text = readFileSync('docs/machine-rules.md', 'utf8');

describe('documentation of the hardware', () => {
  it('lists every option', () => {
    const source = readFileSync('src/machine/hardwareOptions.ts', 'utf8');
    const options = source.slice(source.indexOf('interface HardwareOptions'));
    const names = [...options.matchAll(/^ {2}readonly (\w+)\?:/gm)].map(match => match[1]!);
    assert.ok(names.length > 10);
    for (const name of names) assert.ok(text.includes(`\`${name}\``), name);
  });

  it('names tests that exist', () => {
    const files = [...text.matchAll(/`(\w+\.test\.ts)`/g)].map(match => match[1]!);
    assert.ok(files.length > 10);
    for (const file of files) assert.ok(existsSync(`test/unit/machine/hardware/${file}`), file);
  });
});
