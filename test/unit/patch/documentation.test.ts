import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { diagnosticKinds } from '../../../src/patch/model';
import { root } from './support';

it('docs/reading.md explains every kind of diagnostic, and no other', () => {
  const text = readFileSync(join(root, 'docs/reading.md'), 'utf8');
  const section = text.slice(text.indexOf('## Diagnostics'), text.indexOf('## Limits'));
  const documented = [...section.matchAll(/^\| `([a-z0-9-]+)`/gm)].map(([, kind]) => kind);
  assert.deepEqual(documented.sort(), Object.keys(diagnosticKinds).sort());
});
