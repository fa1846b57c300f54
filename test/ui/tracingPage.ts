/** The entry of the page: `traceOf` as a global function; the page asks the test for the bytes of WebAssembly. */
import { traceOf } from './tracing';

interface Page {
  wasmBytes(name: string): Promise<string>;
  traceOf(name: string, parameters: readonly (readonly [string, number])[]): Promise<string>;
}

const page = globalThis as unknown as Page;
page.traceOf = (name, parameters) =>
  traceOf(name, parameters, async file =>
    Uint8Array.from(atob(await page.wasmBytes(file)), code => code.charCodeAt(0)),
  );
