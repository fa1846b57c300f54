/** The C grammar (tree-sitter) behind one function: tokens in, a plain syntax tree out. */
import { append } from './lists';
import type { Language as LanguageType, TreeCursor } from 'web-tree-sitter';
import { Language, Parser } from 'web-tree-sitter';
import { BoundReached, bounds } from './bounds';
import type { Token } from './tokens';

/** Gives the bytes of `web-tree-sitter.wasm` and of `tree-sitter-c.wasm`. */
export type WasmLoader = (name: string) => Promise<Uint8Array>;

/** A node of the syntax tree; nothing of it points into the parser. */
export interface Node {
  readonly type: string;
  /** Name of its role in the parent, or ''. */
  readonly field: string;
  /** Range of the parsed tokens. */
  readonly from: number;
  readonly to: number;
  /** Named children, and unnamed ones that have a field (operators). */
  readonly children: readonly Node[];
  /** Of a leaf: its text. */
  readonly text: string;
  /** Of a `sized_type_specifier`: its words. */
  readonly words?: readonly string[];
}

/** A parse without errors, or the reason why there is none. */
export type Parsed =
  | { readonly ok: true; readonly root: Node }
  | { readonly ok: false; readonly reason: string; readonly line: number };

let parser: Parser | null = null;
let loading: Promise<void> | null = null;

/** Loads the grammar once; later calls return the same promise. A failed load can be tried again. */
export function loadCParser(loader: WasmLoader): Promise<void> {
  loading ??= load(loader).catch((error: unknown) => {
    loading = null;
    throw error;
  });
  return loading;
}

async function load(loader: WasmLoader): Promise<void> {
  const [runtime, grammar] = await Promise.all([
    loader('web-tree-sitter.wasm'),
    loader('tree-sitter-c.wasm'),
  ]);
  await Parser.init({ wasmBinary: runtime });
  const language: LanguageType = await Language.load(grammar);
  const made = new Parser();
  made.setLanguage(language);
  parser = made;
}

/** True once {@link loadCParser} has finished. */
export const isCParserLoaded = (): boolean => parser !== null;

/** Nodes whose inside is of no interest. */
const leafTypes = new Set([
  ...['string_literal', 'char_literal', 'number_literal', 'comment', 'system_lib_string', 'identifier'],
  ...['field_identifier', 'type_identifier', 'statement_identifier', 'primitive_type', 'true', 'false'],
]);

/** A parse as it is remembered: of a failed one, the token where it failed. */
type Remembered =
  | { readonly ok: true; readonly root: Node }
  | { readonly ok: false; readonly reason: string; readonly token: number };

/** Trees by their text: both sides of a patch, and each edit of it, hold mostly the same functions. */
const remembered = new Map<string, Remembered>();
let rememberedLength = 0;
/** Characters of text whose trees are kept. */
const rememberAtMost = 400_000;

/** Parses tokens as a translation unit. */
export function parseTokens(tokens: readonly Token[]): Parsed {
  if (!parser) throw new Error('loadCParser has not finished');
  const text = tokens.map(token => token.text).join(' ');
  let found = remembered.get(text);
  if (!found) {
    found = parseText(parser, text, tokens);
    if (rememberedLength + text.length > rememberAtMost) {
      remembered.clear();
      rememberedLength = 0;
    }
    remembered.set(text, found);
    rememberedLength += text.length;
  }
  if (found.ok) return found;
  const line = tokens[found.token]?.line ?? tokens.at(-1)?.line ?? 0;
  return { ok: false, reason: found.reason, line };
}

function parseText(with_: Parser, text: string, tokens: readonly Token[]): Remembered {
  const tree = with_.parse(text);
  if (!tree) return { ok: false, reason: 'the parser gave up', token: 0 };
  const starts = new Int32Array(tokens.length + 1);
  let at = 0;
  tokens.forEach((token, index) => {
    starts[index] = at;
    at += token.text.length + 1;
  });
  starts[tokens.length] = at;
  const cursor = tree.walk();
  try {
    return new Reader(cursor, tokens, starts).run();
  } finally {
    cursor.delete();
    tree.delete();
  }
}

/** Throws where brackets are nested deeper than anything behind this can take. */
export function checkNesting(tokens: readonly Token[]): void {
  let depth = 0;
  for (const { text } of tokens) {
    if (text === '(' || text === '{' || text === '[') depth++;
    else if (text === ')' || text === '}' || text === ']') depth--;
    if (depth > bounds.nesting) throw new BoundReached('nesting');
  }
}

interface Building {
  readonly type: string;
  readonly field: string;
  readonly from: number;
  readonly to: number;
  readonly children: Building[];
  readonly text: string;
  readonly words?: readonly string[];
}

/** Walks a tree once. Every call of the cursor crosses into WebAssembly, so it asks as little as it can. */
class Reader {
  private error: { reason: string; token: number } | null = null;
  private at = 0;

  constructor(
    private readonly cursor: TreeCursor,
    private readonly tokens: readonly Token[],
    private readonly starts: Int32Array,
  ) {}

  run(): Remembered {
    const { cursor } = this;
    const root = this.node(cursor.nodeType, '');
    const stack: Building[] = [root];
    let entered = cursor.gotoFirstChild();
    while (stack.length && !this.error) {
      if (!entered) {
        // Done with the children of the node on top of the stack.
        stack.pop();
        if (!stack.length || !cursor.gotoParent()) break;
        entered = cursor.gotoNextSibling();
        continue;
      }
      if (stack.length > bounds.treeDepth) throw new BoundReached('treeDepth');
      const type = cursor.nodeType;
      const named = isWord(type);
      const field = cursor.currentFieldId ? (cursor.currentFieldName ?? '') : '';
      if (!named && !field) {
        // Punctuation; a missing one has no width, which only a question to the cursor tells.
        if (cursor.nodeIsMissing) this.missing(type);
        entered = cursor.gotoNextSibling();
        continue;
      }
      const node = this.node(type, field);
      if (field || cursor.nodeIsNamed) stack.at(-1)!.children.push(node);
      if (named && !leafTypes.has(type) && cursor.gotoFirstChild()) stack.push(node);
      else entered = cursor.gotoNextSibling();
    }
    if (this.error) return { ok: false, ...this.error };
    bindPostfix(root);
    return { ok: true, root };
  }

  private node(type: string, field: string): Building {
    const { cursor } = this;
    const start = cursor.startIndex;
    const end = cursor.endIndex;
    const from = this.tokenAt(start);
    if (type === 'ERROR') this.fail('the parser cannot read', from);
    else if (start === end && cursor.nodeIsMissing) this.missing(type);
    const to = this.tokenAt(end);
    const text = to - from === 1 ? this.tokens[from]!.text : '';
    const node = { type, field, from, to, children: [], text };
    if (type !== 'sized_type_specifier') return node;
    return { ...node, words: this.tokens.slice(from, to).map(token => token.text) };
  }

  private missing(type: string): void {
    this.fail(`the parser misses '${type}' before`, this.tokenAt(this.cursor.startIndex));
  }

  private fail(what: string, token: number): void {
    const text = this.tokens
      .slice(token, token + 6)
      .map(one => one.text)
      .join(' ');
    this.error ??= { reason: `${what} '${text}'`, token };
  }

  /** Index of the first token that starts at or behind text offset `offset`. */
  private tokenAt(offset: number): number {
    const { starts } = this;
    let at = Math.min(this.at, starts.length - 1);
    if (starts[at]! > offset || starts[Math.min(at + 64, starts.length - 1)]! < offset) {
      let low = 0;
      let high = starts.length - 1;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (starts[middle]! < offset) low = middle + 1;
        else high = middle;
      }
      at = low;
    } else while (at < starts.length - 1 && starts[at]! < offset) at++;
    while (at > 0 && starts[at - 1]! >= offset) at--;
    this.at = at;
    return at;
  }
}

/** Named nodes have names made of letters; so have keywords, which are then asked for. */
function isWord(type: string): boolean {
  const code = type.charCodeAt(0);
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95;
}

/** The grammar reads `!n--` as `(!n)--`; in C the postfix operator binds first. */
function bindPostfix(root: Building): void {
  const stack = [root];
  for (let node = stack.pop(); node; node = stack.pop()) {
    node.children.forEach((one, at) => {
      node.children[at] = postfixFirst(one);
    });
    append(stack, node.children);
  }
}

function postfixFirst(node: Building): Building {
  if (node.type !== 'update_expression') return node;
  const [argument, operator] = node.children;
  if (argument?.type !== 'unary_expression' || operator?.field !== 'operator') return node;
  const [sign, inner] = argument.children;
  if (!sign || !inner) return node;
  const step: Building = { ...node, field: 'argument', from: inner.from, children: [inner, operator] };
  return { ...argument, field: node.field, to: node.to, children: [sign, postfixFirst(step)] };
}

export const child = (node: Node, field: string): Node | undefined =>
  node.children.find(one => one.field === field);
