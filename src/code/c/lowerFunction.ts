/** Lowers one function. */
import { append } from './lists';
import type { CodeFinding, IrFunction } from '../ir';
import { BoundReached, bounds } from './bounds';
import { CodeBuilder } from './codeBuilder';
import type { StaticLocal } from './context';
import { Lowering, stripped } from './context';
import type { Declared } from './declarators';
import { baseType, declare, parameters } from './declarators';
import { typeOf } from './expressions';
import { spell } from './expand';
import { irType } from './moduleData';
import { makeLocal, placeOf } from './locals';
import type { ParsedChunk, Program } from './program';
import type { Chunk } from './slice';
import { lowerStatement } from './statements';
import type { Node } from './syntax';
import { child, parseTokens } from './syntax';
import type { Token } from './tokens';
import { madeUp } from './tokens';
import type { TypeMarkers } from './typeMarkers';
import type { CType } from './types';
import { decayed, unknownType, voidType } from './types';
import { notShown } from './unseen';
import { inRegister, store, unknown } from './values';

export interface LoweredFunction {
  readonly function: IrFunction;
  /** Names of functions that it calls or uses as values. */
  readonly used: ReadonlySet<string>;
  readonly findings: readonly CodeFinding[];
  readonly statics: readonly StaticLocal[];
}

/** Lowers the function of a chunk; one that cannot be read becomes `unreadable`, whole. */
export function lowerFunction(program: Program, chunk: Chunk): LoweredFunction {
  try {
    if (chunk.lastLine - chunk.firstLine >= bounds.functionLines) throw new BoundReached('functionLines');
    const lost = chunk.unit.skipped.find(
      one => one.firstLine >= chunk.firstLine && one.lastLine <= chunk.lastLine,
    );
    if (lost) return unreadable(chunk, lost.why, lost.firstLine, 'limit');
    const text = program.parse(chunk);
    if (!text.parsed.ok) return unreadable(chunk, text.parsed.reason, text.parsed.line, 'unreadable');
    const definition = text.parsed.root.children.find(node => node.type === 'function_definition');
    if (!definition || text.parsed.root.children.length !== 1)
      return unreadable(chunk, 'it is not one function', chunk.firstLine, 'unreadable');
    const first = new FunctionLowering(program, chunk, text, definition);
    const result = first.run();
    if (!first.cutOff.size) return result;
    return new FunctionLowering(program, chunk, text, definition).run(first.cutOff);
  } catch (error) {
    if (!(error instanceof BoundReached)) throw error;
    return unreadable(chunk, error.message, chunk.firstLine, 'limit');
  }
}

function unreadable(chunk: Chunk, reason: string, line: number, kind: string): LoweredFunction {
  const { unit } = chunk.unit;
  const why = reason.slice(0, 200);
  return {
    function: {
      ...common(chunk),
      parameters: [],
      registers: [],
      names: [],
      code: [{ op: 'unknown', line: chunk.firstLine, dst: null, name: chunk.name, why }],
      unreadable: why,
    },
    used: new Set(),
    statics: [],
    findings: [{ kind, unit, line, message: `${chunk.name} is not read: ${why}` }],
  };
}

const common = (chunk: Chunk) =>
  ({
    name: chunk.name,
    unit: chunk.unit.unit,
    language: 'c',
    kind: 'function',
    firstLine: chunk.firstLine,
    lastLine: chunk.lastLine,
    partial: chunk.partial,
    repaired: chunk.repaired,
  }) as const;

class FunctionLowering {
  private readonly code = new CodeBuilder();
  private readonly l: Lowering;
  private readonly declared: readonly Declared[];
  private readonly declarations: readonly Node[];

  constructor(
    program: Program,
    private readonly chunk: Chunk,
    text: ParsedChunk,
    private readonly definition: Node,
  ) {
    const names = program.typeNames(chunk, text.markers);
    const declarator = child(definition, 'declarator')!;
    const { type } = declare(baseType(definition, names), declarator, names);
    const returns = type.kind === 'function' ? type.returns : unknownType;
    this.l = new Lowering(this.code, program, chunk, text.tokens, names, returns);
    this.code.line = chunk.firstLine;
    const list = parameterList(declarator);
    this.declared = list ? parameters(list, names) : [];
    this.declarations = list?.children.filter(one => one.type === 'parameter_declaration') ?? [];
    text.markers.resolver = tokens => typeOfTokens(this.l, tokens, text.markers);
  }

  /** Lines behind gaps that nothing shown leads to. */
  get cutOff(): ReadonlySet<number> {
    return this.l.cutOff;
  }

  /** `resumed`: lines behind gaps that unseen code leads to. */
  run(resumed: ReadonlySet<number> = new Set()): LoweredFunction {
    const { l, code, chunk } = this;
    const body = child(this.definition, 'body')!;
    collectUses(l, body);
    this.placeParameters();
    for (const line of resumed) this.leadTo(line);
    for (const statement of body.children) lowerStatement(l, statement);
    code.line = chunk.lastLine;
    for (const label of l.resumed.values()) if (label.at < 0) code.place(label);
    this.placeMissingLabels();
    if (l.end.used) code.place(l.end);
    if (code.reachable) code.emit({ op: 'return', value: null });
    const types = this.declarations.map(one => this.parameterText(one));
    return {
      function: {
        ...common(chunk),
        parameters: this.declared.map(({ name }, index) => ({ name, type: types[index] ?? '' })),
        registers: code.registers,
        names: code.names,
        code: code.finish(),
        locals: l.memoryLocals.map(({ name, type }) => ({ name, type: irType(type) })),
        unreadable: null,
      },
      used: l.used,
      statics: l.statics,
      findings: chunk.gaps.map(line => ({
        kind: 'gap',
        unit: chunk.unit.unit,
        line,
        message: `${chunk.name}: lines before this one are not shown by the patch`,
      })),
    };
  }

  /** An unseen condition at the beginning, under which the code at `line` is what runs. */
  private leadTo(line: number): void {
    const { l, code } = this;
    const [there, on] = [code.label(), code.label()];
    code.line = line;
    code.branch(unknown(l, '', notShown).register, there, on, '…', null);
    code.place(on);
    l.resumed.set(line, there);
  }

  private placeParameters(): void {
    const { l, code } = this;
    const registers = this.declared.map(({ name, type }) =>
      code.register(type.kind === 'struct' ? { kind: 'pointer', to: type } : type, name),
    );
    this.declared.forEach(({ name, type }, index) => {
      if (!name) return;
      const register = registers[index]!;
      const local = this.parameterLocal(name, type, register);
      l.scopes[0]!.set(name, local);
    });
  }

  /** A parameter that must live in memory is copied there on entry. */
  private parameterLocal(name: string, type: CType, register: number) {
    const { l } = this;
    const inMemory = type.kind === 'struct' || l.addressTaken.has(name);
    if (!inMemory) return { kind: 'register' as const, register, type };
    const local = makeLocal(l, name, type);
    const value =
      type.kind === 'struct'
        ? ({ kind: 'object', address: register, type } as const)
        : inRegister(register, type);
    store(l, placeOf(l, local), value);
    return local;
  }

  private parameterText(node: Node): string {
    const { tokens } = this.l;
    const declarator = child(node, 'declarator');
    const name = this.declared[this.declarations.indexOf(node)]?.name ?? '';
    const kept = tokens
      .slice(node.from, node.to)
      .filter((token, at) => !(declarator && token.text === name && node.from + at >= declarator.from));
    const source = kept.map(token => this.chunk.unit.source[token.from] ?? token);
    return spell(source).trim();
  }

  /** A `goto` to a label that is not shown leads to where nothing is known. */
  private placeMissingLabels(): void {
    const { l, code } = this;
    if (!l.wanted.size) return;
    code.jump(l.end);
    for (const [name, line] of l.wanted) {
      code.place(l.labels.get(name)!);
      code.line = line;
      unknown(l, name, 'the label is not shown');
      code.jump(l.end);
    }
    code.line = this.chunk.lastLine;
  }
}

function parameterList(declarator: Node): Node | null {
  let node: Node | undefined = declarator;
  for (let depth = 0; node && depth < 50; depth++) {
    if (node.type === 'function_declarator') {
      const inner: Node | undefined = child(node, 'declarator');
      if (inner?.type === 'identifier') return child(node, 'parameters') ?? null;
    }
    node = child(node, 'declarator') ?? node.children.find(one => one.type.endsWith('declarator'));
  }
  return null;
}

/** Finds the variables whose address is taken, and those used as structs. */
function collectUses(l: Lowering, root: Node): void {
  const stack: Node[] = [root];
  for (let node = stack.pop(); node; node = stack.pop()) {
    append(stack, node.children);
    if (node.type === 'pointer_expression' && child(node, 'operator')?.type === '&') {
      const name = rootName(child(node, 'argument')!);
      if (name) l.addressTaken.add(name);
    } else if (node.type === 'field_expression' && child(node, 'operator')?.type === '.') {
      const argument = stripped(child(node, 'argument')!);
      if (argument.type === 'identifier') l.dotted.add(argument.text);
    } else if (node.type === 'gnu_asm_output_operand' || node.type === 'gnu_asm_input_operand') {
      const constraint = l.tokens[child(node, 'constraint')!.from]?.text ?? '';
      const value = stripped(child(node, 'value')!);
      if (/[mQ]/.test(constraint) && !/[rqg]/.test(constraint) && value.type === 'identifier')
        l.addressTaken.add(value.text);
    }
  }
}

/** The variable whose storage `&expression` points into, or ''. */
function rootName(node: Node): string {
  let inner = stripped(node);
  for (let depth = 0; depth < 100; depth++) {
    if (inner.type === 'identifier') return inner.text;
    const dotted = inner.type === 'field_expression' && child(inner, 'operator')?.type === '.';
    if (!dotted) return '';
    inner = stripped(child(inner, 'argument')!);
  }
  return '';
}

/** The type of the operand of a `typeof`, an expression or a type, in the scope that is being lowered. */
function typeOfTokens(l: Lowering, operand: readonly Token[], markers: TypeMarkers): CType {
  const line = operand[0]?.line ?? l.code.line;
  const made = (text: string): Token[] => text.split(' ').map(one => madeUp(one, line));
  const tokens = markers.mark([...made('void f ( void ) { sizeof ('), ...operand, ...made(') ; }')]);
  const parsed = parseTokens(tokens);
  if (!parsed.ok) return unknownType;
  let node: Node | undefined = parsed.root;
  while (node && node.type !== 'sizeof_expression') node = node.children.at(-1);
  if (!node) return unknownType;
  const inner = new Lowering(l.code, l.program, l.chunk, tokens, l.names, voidType);
  inner.scopes.splice(0, 1, ...l.scopes);
  const type = child(node, 'type');
  if (type) {
    const base = baseType(type, l.names);
    const declarator = child(type, 'declarator');
    return declarator ? declare(base, declarator, l.names).type : base;
  }
  const value = child(node, 'value');
  if (!value) return unknownType;
  const named = stripped(value);
  if (named.type === 'identifier' && !inner.find(named.text)) {
    const typedef = l.names.typedef(named.text);
    if (typedef) return typedef;
  }
  return decayed(typeOf(inner, value));
}
