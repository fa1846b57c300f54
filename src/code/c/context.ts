/** What the parts of the lowering share while one function is lowered. */
import type { Configuration } from '../configuration';
import type { SourceUnit } from '../source';
import type { CodeBuilder, Label } from './codeBuilder';
import type { TypeNames } from './declarators';
import { spell } from './expand';
import type { Program } from './program';
import { unseen, unseenHead } from './unseen';
import type { Chunk } from './slice';
import type { Node } from './syntax';
import type { Token } from './tokens';
import type { CType } from './types';

/** A variable of the function. */
export type Local =
  | { readonly kind: 'register'; readonly register: number; readonly type: CType }
  /** It lives in memory, under `name`, which is unique in the function. */
  | { readonly kind: 'memory'; readonly name: string; readonly type: CType }
  /** A static local: a variable at file level. */
  | { readonly kind: 'global'; readonly name: string; readonly type: CType };

/** Where `break` and `continue` go. */
export interface Jumps {
  readonly breakTo: Label;
  readonly continueTo: Label | null;
}

export interface SwitchCases {
  readonly cases: { readonly low: Node; readonly high: Node | null; readonly label: Label }[];
  fallback: Label | null;
}

/** A static variable of a function. */
export interface StaticLocal {
  readonly name: string;
  readonly type: CType;
  readonly initialiser: Node | null;
  readonly tokens: readonly Token[];
  readonly line: number;
}

export class Lowering {
  readonly scopes: Map<string, Local>[] = [new Map<string, Local>()];
  readonly jumps: Jumps[] = [];
  readonly switches: SwitchCases[] = [];
  readonly labels = new Map<string, Label>();
  /** Labels that a `goto` names but nothing has placed yet, with the line of the first use. */
  readonly wanted = new Map<string, number>();
  readonly memoryLocals: { readonly name: string; readonly type: CType }[] = [];
  readonly statics: StaticLocal[] = [];
  /** Names of functions that are called or used as values. */
  readonly used = new Set<string>();
  readonly addressTaken = new Set<string>();
  /** Names used as `name.member`: variables of an unknown type that are so used are structs. */
  readonly dotted = new Set<string>();
  readonly knownTypes = new Map<Node, CType>();
  readonly knownConditions = new Map<Node, boolean | null>();
  /** Lines behind a gap to which no path leads from what is shown before it. */
  readonly cutOff = new Set<number>();
  /** Labels for such lines, which the function's beginning leads to. */
  readonly resumed = new Map<number, Label>();
  readonly caseLabels = new Map<Node, Label>();
  /** Behind the last instruction of the body. */
  readonly end: Label = { at: -1 };
  returns: CType;

  constructor(
    readonly code: CodeBuilder,
    readonly program: Program,
    readonly chunk: Chunk,
    readonly tokens: readonly Token[],
    readonly names: TypeNames,
    returns: CType,
  ) {
    this.returns = returns;
  }

  get unit(): SourceUnit {
    return this.chunk.unit.unit;
  }

  /** The configuration; what code of the context asks is not recorded. */
  get configuration(): Configuration {
    const { configuration } = this.program;
    return this.program.isOwn(this.chunk.unit) ? configuration : configuration.unrecorded;
  }

  find(name: string): Local | null {
    for (let at = this.scopes.length - 1; at >= 0; at--) {
      const local = this.scopes[at]!.get(name);
      if (local) return local;
    }
    return null;
  }

  /** Makes `node`'s line the line of what is emitted next. */
  at(node: Node): void {
    this.code.line = this.lineOf(node);
  }

  lineOf(node: Node): number {
    for (let at = node.from; at < node.to; at++) {
      const token = this.tokens[at]!;
      if (token.from >= 0) return token.line;
    }
    return this.tokens[node.from]?.line ?? this.code.line;
  }

  /** The node as it stands in the source: of a macro's result, the call. */
  text(node: Node): string {
    let first = Number.MAX_SAFE_INTEGER;
    let last = -1;
    for (let at = node.from; at < node.to; at++) {
      const token = this.tokens[at]!;
      if (token.from < 0) continue;
      first = Math.min(first, token.from);
      last = Math.max(last, token.to);
    }
    if (last < 0)
      return spell(this.tokens.slice(node.from, node.to))
        .replaceAll(unseen, '…')
        .replaceAll(unseenHead, '…')
        .trim();
    return spell(this.chunk.unit.source.slice(first, Math.min(last + 1, first + 200))).trim();
  }

  /** The node as macros have made it: what the compiler sees. */
  spelled(node: Node): string {
    return spell(this.tokens.slice(node.from, node.to)).trim();
  }

  /** The text without parentheses around it. */
  bareText(node: Node): string {
    return this.text(stripped(node));
  }
}

/** The node inside parentheses. */
export function stripped(node: Node): Node {
  let inner = node;
  while (inner.type === 'parenthesized_expression' && inner.children.length === 1) {
    const only = inner.children[0]!;
    if (only.type === 'compound_statement') return inner;
    inner = only;
  }
  return inner;
}
