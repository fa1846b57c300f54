/** The readers of code for the command line: the C grammar is loaded from beside the program. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { loadCParser, type DefinitionIndex } from '../code/lowerC';
import type { FrontEnd } from '../cost/analysis';
import { makeFrontEnd } from '../cost/frontEnd';

/** A file that is shipped beside the bundle; from a checkout, the package's own. */
function wasmPath(name: string): string {
  const beside = join(dirname(process.argv[1] ?? '.'), name);
  if (existsSync(beside)) return beside;
  const built = join(__dirname, name);
  if (existsSync(built)) return built;
  const require = createRequire(join(process.cwd(), 'package.json'));
  return name === 'tree-sitter-c.wasm'
    ? join(dirname(require.resolve('tree-sitter-c/package.json')), name)
    : join(dirname(require.resolve('web-tree-sitter')), name);
}

/** Loads the C grammar once; later calls cost nothing. */
export const loadCGrammar = (): Promise<void> =>
  loadCParser(name => Promise.resolve(new Uint8Array(readFileSync(wasmPath(name)))));

export async function frontEndFor(
  config: ReadonlyMap<string, boolean>,
  index: DefinitionIndex | null = null,
): Promise<FrontEnd> {
  await loadCGrammar();
  return makeFrontEnd({ config, index });
}
