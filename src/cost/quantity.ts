/**
 * From symbolic values to counts: how many pages a range holds, and what a loop bound is as a polynomial.
 * A range of addresses always holds `n` pages, whatever its bounds are called.
 */
import { add, constant, multiply, symbol, type Polynomial } from './polynomial';
import { symbolText } from './show';
import type { Value } from './value';
import type { ValueSpace } from './values';

/** Page size in bytes on the kernels that are read (4 KiB granule). */
export const pageSize = 4096n;

const shiftNames = /shift|SHIFT/;
const sizeNames = /(^|_)(size|SIZE|stride|STRIDE)$|(PAGE|PMD|PUD|HPAGE)_SIZE|stride/;
const inPages = /^(PFN|nr_pages|page_count)/;

/** A symbol, or what a named field holds, without what leads to it. */
export function lastName(value: Value): string {
  if (value.kind === 'symbol') return value.name;
  if (value.kind === 'load')
    return value.address.kind === 'field'
      ? value.address.member
      : value.address.kind === 'address'
        ? value.address.name
        : '';
  return '';
}

/** True for a distance by which addresses step: a page or a multiple, a stride, `1 << shift`. */
export function isStride(step: Value): boolean {
  if (step.kind === 'constant') {
    const size = step.value < 0n ? -step.value : step.value;
    return size >= pageSize && size % pageSize === 0n;
  }
  if (step.kind === 'linear') {
    const [term] = step.terms;
    return (
      step.terms.length === 1 && step.constant === 0n && (isStride(term![0]) || term![1] % pageSize === 0n)
    );
  }
  if (step.kind === 'binary' && step.operator === 'shl')
    return step.a.kind === 'constant' ? step.a.value === 1n && !isOrder(step.b) : isStride(step.a);
  if (step.kind === 'choice') return isStride(step.a) && isStride(step.b);
  return sizeNames.test(lastName(step));
}

export const isOrder = (exponent: Value): boolean => /order/i.test(lastName(exponent));

/** Terms that count positively and negatively. */
function signs(value: Value): { plus: number; minus: number } {
  if (value.kind === 'constant') return { plus: 0, minus: 0 };
  if (value.kind !== 'linear') return { plus: 1, minus: 0 };
  const minus = value.terms.filter(([, factor]) => factor < 0n).length;
  return { plus: value.terms.length - minus, minus };
}

/** `end - start` of two addresses, perhaps with a constant. */
export const isDifference = (value: Value): boolean => {
  const { plus, minus } = signs(value);
  return plus === 1 && minus === 1;
};

const parenthesised = (value: Value): Polynomial => symbol(symbolText(value));

/** A count such as a loop bound, as a polynomial: numbers, `2^order`, `n` for pages of a range, else the source's text. */
export function countOf(space: ValueSpace, value: Value): Polynomial {
  switch (value.kind) {
    case 'constant':
      return constant(value.value);
    case 'linear': {
      if (isDifference(value)) {
        const pages = pagesIn(space, value);
        if (pages) return pages;
        return parenthesised(value);
      }
      let total = constant(value.constant);
      for (const [term, factor] of value.terms)
        total = add(total, multiply(constant(factor), countOf(space, term)));
      return total;
    }
    case 'binary':
      if (value.operator === 'shl' && value.a.kind === 'constant')
        return multiply(constant(value.a.value), powerOfTwo(value.b));
      if (value.operator === 'shl') return multiply(countOf(space, value.a), powerOfTwo(value.b));
      if (value.operator === 'mul') return multiply(countOf(space, value.a), countOf(space, value.b));
      if (value.operator === 'shr' || value.operator === 'div') {
        const pages = pagesIn(space, value);
        if (pages) return pages;
      }
      return parenthesised(value);
    default:
      return pageCount.test(lastName(value)) ? symbol('n') : parenthesised(value);
  }
}

/** What a number of pages is called: `nr_pages`, `npages`. */
const pageCount = /(?:^|_)(?:nr|n|num)_?(?:pages|ptes)$|^pgcount$/;

function powerOfTwo(exponent: Value): Polynomial {
  if (exponent.kind === 'constant' && exponent.value >= 0n && exponent.value < 64n)
    return constant(1n << exponent.value);
  return symbol(`2^${symbolText(exponent)}`);
}

/**
 * The pages in a value that is the length of an address range (in bytes or already shifted down), else null:
 * `(end - start) >> shift`, `(end - start) / PAGE_SIZE`, `PFN_UP(end - start)`.
 */
export function pagesIn(space: ValueSpace, value: Value): Polynomial | null {
  const n = symbol('n');
  if (value.kind === 'binary' && (value.operator === 'shr' || value.operator === 'div')) {
    const byPage =
      value.b.kind === 'constant'
        ? value.operator === 'shr'
          ? value.b.value >= 12n
          : value.b.value >= pageSize
        : shiftNames.test(lastName(value.b)) || isStride(value.b);
    if (!byPage) return null;
    return isRangeLength(space, value.a) ? n : null;
  }
  if (value.kind === 'call' && inPages.test(value.name) && value.args.length === 1)
    return isRangeLength(space, value.args[0]!) ? n : null;
  return null;
}

/** A length in bytes: `end - start`, perhaps rounded up, or something called a size or length. */
function isRangeLength(space: ValueSpace, value: Value): boolean {
  if (isDifference(value)) return true;
  if (value.kind === 'linear' && value.terms.length === 1) return isRangeLength(space, value.terms[0]![0]);
  if (value.kind === 'call') return value.args.some(arg => isRangeLength(space, arg));
  if (value.kind === 'binary' && (value.operator === 'and' || value.operator === 'or'))
    return isRangeLength(space, value.a) || isRangeLength(space, value.b);
  return /(^|_)(size|len|length|bytes)$/.test(lastName(value));
}
