import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { traceOf } from './tracing';
import { closeBrowser, openBrowser } from './workbench';

/** Shootdowns with threads on other CPUs: the scheduler has choices to make. */
const cases = [
  ['madvise-threads', [['c', 3]]],
  ['switch-back-after-flush', []],
] as const;

describe('a run in a browser', function () {
  this.timeout(120_000);
  after(closeBrowser);

  for (const [name, parameters] of cases) {
    it(`${name}: the trace is that of Node, byte for byte`, async () => {
      const bytes = (file: string): Buffer => readFileSync(join('dist', file));
      const page = await (await openBrowser()).newPage();
      await page.exposeFunction('wasmBytes', (file: string) => bytes(file).toString('base64'));
      await page.addScriptTag({ path: 'dist/test/tracingPage.js' });
      const inBrowser = await page.evaluate(
        ([scenario, values]) =>
          (globalThis as unknown as { traceOf(name: string, parameters: unknown): Promise<string> }).traceOf(
            scenario,
            values,
          ),
        [name, parameters] as const,
      );
      const inNode = await traceOf(name, parameters, file => Promise.resolve(new Uint8Array(bytes(file))));
      await page.close();
      assert.ok(inNode.length > 10_000);
      assert.equal(inBrowser, inNode);
    });
  }
});
