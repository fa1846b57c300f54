/** JSON with comments as a tree with positions, and the list of what is wrong with it. */
import { createScanner, parseTree, printParseErrorCode } from 'jsonc-parser/lib/esm/main.js';
import type { Node, ParseError } from 'jsonc-parser/lib/esm/main.js';
import { limits } from './limits';
import type { ScenarioDiagnostic } from './model';

export type { Node };

/** Collects diagnostics; turns offsets into lines and columns. */
export class Findings {
  private readonly lineStarts: number[] = [0];
  private readonly found: ScenarioDiagnostic[] = [];

  constructor(private readonly text: string) {
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.lineStarts.push(at + 1);
  }

  /** 1-based. */
  lineOf(offset: number): number {
    let low = 0;
    let high = this.lineStarts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.lineStarts[middle]! <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  }

  add(offset: number, length: number, message: string): void {
    if (this.found.length >= limits.diagnostics) return;
    const at = Math.max(0, Math.min(offset, this.text.length));
    const line = this.lineOf(at);
    const column = at - this.lineStarts[line - 1]! + 1;
    this.found.push({ line, column, offset: at, length: Math.max(0, length), message });
  }

  at(node: Node, message: string): void {
    this.add(node.offset, node.length, message);
  }

  get list(): readonly ScenarioDiagnostic[] {
    return [...this.found].sort((a, b) => a.offset - b.offset);
  }
}

const syntaxMessages: Readonly<Record<string, string>> = {
  InvalidSymbol: 'this is no value of JSON',
  InvalidNumberFormat: 'this is no number',
  PropertyNameExpected: 'a name in double quotes is expected',
  ValueExpected: 'a value is expected',
  ColonExpected: "':' is expected",
  CommaExpected: "',' is expected",
  CloseBraceExpected: "'}' is expected",
  CloseBracketExpected: "']' is expected",
  EndOfFileExpected: 'the file should end here',
  InvalidCommentToken: 'this comment is not allowed here',
  UnexpectedEndOfComment: 'the comment is not closed',
  UnexpectedEndOfString: 'the string is not closed',
  UnexpectedEndOfNumber: 'the number breaks off',
  InvalidUnicode: 'this is no Unicode escape',
  InvalidEscapeCharacter: 'there is no such escape',
  InvalidCharacter: 'this character is not allowed here',
};

/** Kinds of token as jsonc-parser numbers them: its own enum exists for the type checker only. */
const token = { openBrace: 1, closeBrace: 2, openBracket: 3, closeBracket: 4, end: 17 };

/** Offset of the first bracket that lies too deep, or −1. Parsers recurse: this comes before them. */
function tooDeep(text: string): number {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (;;) {
    const kind: number = scanner.scan();
    if (kind === token.end) return -1;
    if (kind === token.openBrace || kind === token.openBracket) {
      if (++depth > limits.depth) return scanner.getTokenOffset();
    } else if (kind === token.closeBrace || kind === token.closeBracket) depth--;
  }
}

/** The root of the file's tree; null, with a finding, where it is no JSON. */
export function readTree(text: string, findings: Findings, what = 'a scenario'): Node | null {
  if (text.length > limits.characters) {
    findings.add(limits.characters, 1, `${what} has at most ${limits.characters} characters`);
    return null;
  }
  const deep = tooDeep(text);
  if (deep >= 0) {
    findings.add(deep, 1, `values lie in each other at most ${limits.depth} deep`);
    return null;
  }
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  for (const { error, offset, length } of errors) {
    const code = printParseErrorCode(error);
    findings.add(offset, length, syntaxMessages[code] ?? 'this is no JSON');
  }
  if (errors.length > 0) return null;
  if (!root) findings.add(0, 0, 'the file is empty');
  return root ?? null;
}

/** Members of an object by name; a name that comes twice is a finding. Call for objects only. */
export function membersOf(node: Node, findings: Findings): Map<string, { name: Node; value: Node }> {
  const members = new Map<string, { name: Node; value: Node }>();
  for (const property of node.children ?? []) {
    const [name, value] = property.children ?? [];
    if (!name || !value) continue;
    const key = String(name.value);
    if (members.has(key)) findings.at(name, `'${shown(key)}' is there twice`);
    else members.set(key, { name, value });
  }
  return members;
}

/** A name as messages show it. */
export const shown = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text);

const kinds: Readonly<Record<string, string>> = {
  ...{ object: 'an object', array: 'a list', string: 'a text', number: 'a number', boolean: 'true or false' },
  ...{ null: 'null', property: 'a member' },
};

/** `a list`, `a number`, … */
export const kindOf = (node: Node): string => kinds[node.type] ?? node.type;

/** The node's text, or null with a finding. */
export function textOf(node: Node, what: string, most: number, findings: Findings): string | null {
  const value: unknown = node.value;
  if (node.type !== 'string' || typeof value !== 'string') {
    findings.at(node, `${what} is a text, not ${kindOf(node)}`);
    return null;
  }
  if (value.length === 0) findings.at(node, `${what} is empty`);
  else if (value.length > most) findings.at(node, `${what} has at most ${most} characters`);
  else return value;
  return null;
}

const namePattern = /^[A-Za-z_][A-Za-z0-9_.-]*$/;

/** A name, or null with a finding. */
export function nameOf(node: Node, what: string, findings: Findings): string | null {
  const text = textOf(node, what, limits.name, findings);
  if (text === null || namePattern.test(text)) return text;
  findings.at(node, `${what} is a name such as 'a' or 'deferred-flush', not '${shown(text)}'`);
  return null;
}

const pathPattern = /^[A-Za-z0-9_./-]+$/;

/** A name, or a path with `/` between its parts; null with a finding. */
export function nameOrPathOf(node: Node, what: string, findings: Findings): string | null {
  const text = textOf(node, what, limits.path, findings);
  if (text === null || namePattern.test(text) || (text.includes('/') && pathPattern.test(text))) return text;
  findings.at(node, `${what} is a name such as 'linux' or a path such as './linux', not '${shown(text)}'`);
  return null;
}

/** The node's items, or none with a finding. */
export function itemsOf(
  node: Node,
  what: string,
  least: number,
  most: number,
  findings: Findings,
): readonly Node[] {
  if (node.type !== 'array') {
    findings.at(node, `${what} is a list, not ${kindOf(node)}`);
    return [];
  }
  const items = node.children ?? [];
  if (items.length < least) findings.at(node, `${what} is empty`);
  if (items.length <= most) return items;
  findings.at(items[most]!, `${what} has at most ${most} entries, not ${items.length}`);
  return [];
}

/** An integer from `least` to `most`, or null with a finding that names the limit. */
export function integerOf(
  node: Node,
  what: string,
  least: number,
  most: number,
  findings: Findings,
): number | null {
  const value: unknown = node.value;
  if (node.type !== 'number' || typeof value !== 'number' || !Number.isInteger(value)) {
    findings.at(
      node,
      `${what} is a whole number, not ${node.type === 'number' ? String(value) : kindOf(node)}`,
    );
    return null;
  }
  if (value >= least && value <= most) return value;
  findings.at(node, `${what} is from ${least} to ${most}, not ${value}`);
  return null;
}

/** true or false; else false, with a finding. */
export function flagOf(node: Node, what: string, findings: Findings): boolean {
  const value: unknown = node.value;
  if (typeof value === 'boolean') return value;
  findings.at(node, `${what} is true or false, not ${kindOf(node)}`);
  return false;
}
