/** Symbolic values as the source would write them, for conditions and for loop bounds that become symbols. */
import type { Value } from './value';

const operators: Readonly<Record<string, string>> = {
  add: '+',
  sub: '-',
  mul: '*',
  div: '/',
  mod: '%',
  and: '&',
  or: '|',
  xor: '^',
  shl: '<<',
  shr: '>>',
  eq: '==',
  ne: '!=',
  lt: '<',
  le: '<=',
  gt: '>',
  ge: '>=',
};

const depthLimit = 6;

/** The object at an address: `f->end` for the address of the member `end` of `*f`. */
function lvalue(address: Value, depth: number): string {
  if (address.kind === 'address') return address.name;
  if (address.kind === 'field')
    return address.base.kind === 'address' || address.base.kind === 'field' || address.base.kind === 'index'
      ? `${lvalue(address.base, depth + 1)}.${address.member}`
      : `${show(address.base, depth + 1)}->${address.member}`;
  if (address.kind === 'index')
    return `${address.base.kind === 'address' || address.base.kind === 'field' ? lvalue(address.base, depth + 1) : show(address.base, depth + 1)}[${show(address.index, depth + 1)}]`;
  return `*${show(address, depth + 1)}`;
}

/** `…` stands for what is nested too deeply. */
export function show(value: Value, depth = 0): string {
  if (depth > depthLimit) return '…';
  const inner = (v: Value): string =>
    v.kind === 'binary' || v.kind === 'linear' || v.kind === 'choice'
      ? `(${show(v, depth + 1)})`
      : show(v, depth + 1);
  switch (value.kind) {
    case 'constant':
      return value.value.toString();
    case 'symbol':
      return value.name;
    case 'linear': {
      let text = '';
      for (const [term, factor] of value.terms) {
        const size = factor < 0n ? -factor : factor;
        text += factor < 0n ? '-' : text ? '+' : '';
        text += size === 1n ? inner(term) : `${size}*${inner(term)}`;
      }
      if (value.constant > 0n) text += `+${value.constant}`;
      else if (value.constant < 0n) text += `-${-value.constant}`;
      return text;
    }
    case 'binary':
      return `${inner(value.a)}${operators[value.operator]!}${inner(value.b)}`;
    case 'not':
      return `~${inner(value.a)}`;
    case 'choice':
      return `${inner(value.a)} or ${inner(value.b)}`;
    case 'address':
      return value.storage === 'function' || value.storage === 'string' ? value.name : `&${value.name}`;
    case 'field':
    case 'index':
      return `&${lvalue(value, depth)}`;
    case 'load':
      return lvalue(value.address, depth);
    case 'call':
      return `${value.name}(${value.args.map(arg => show(arg, depth + 1)).join(',')})`;
  }
}

/** A value as the symbol of a polynomial: no blanks, and parentheses where it is more than a name. */
export function symbolText(value: Value): string {
  const text = show(value).replace(/\s+/g, '');
  const short = text.length > 60 ? `${text.slice(0, 59)}…` : text;
  const balanced = short.split('(').length === short.split(')').length ? short : short.replace(/[()]/g, '');
  return /^[\w.…]+$/.test(balanced.replaceAll('->', '.')) ? balanced : `(${balanced})`;
}
