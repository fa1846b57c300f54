/** Checks expressions at the door: under every value of the parameters that they name, they must lie within limits. */
import type { Expression } from './expression';
import { readExpression, valueOf } from './expression';
import type { Node } from './json';
import type { Findings } from './json';
import { kindOf, shown } from './json';
import type { ScenarioParameter } from './model';

/** What a number may be. */
export interface Bounds {
  readonly least: number;
  readonly most: number;
}

const zero: Expression = { text: '0', items: [{ kind: 'number', value: 0 }], names: new Set() };

/** The expression of a constant. */
export const constant = (value: number): Expression => ({
  ...{ text: String(value), items: [{ kind: 'number', value }], names: new Set<string>() },
});

/** Every combination of the values of these parameters; the last varies fastest. */
export function* combinations(parameters: readonly ScenarioParameter[]): Generator<Map<string, number>> {
  const at = parameters.map(() => 0);
  if (parameters.some(({ values }) => values.length === 0)) return;
  for (;;) {
    yield new Map(parameters.map(({ name, values }, index) => [name, values[at[index]!]!]));
    let last = parameters.length - 1;
    while (last >= 0 && ++at[last]! === parameters[last]!.values.length) at[last--] = 0;
    if (last < 0) return;
  }
}

export class Ranges {
  private readonly names: ReadonlySet<string>;

  constructor(
    readonly parameters: readonly ScenarioParameter[],
    private readonly findings: Findings,
  ) {
    this.names = new Set(parameters.map(({ name }) => name));
  }

  /** The first message that `check` gives, over all values of the parameters that the expression names; null: none. */
  every(
    expression: Expression,
    check: (value: number, values: ReadonlyMap<string, number>) => string | null,
  ): string | null {
    const named = this.parameters.filter(({ name }) => expression.names.has(name));
    for (const values of combinations(named)) {
      const value = valueOf(expression, values);
      const message = typeof value === 'string' ? value : check(value, values);
      if (message === null) continue;
      const where = [...values].map(([name, one]) => `${name} = ${one}`).join(', ');
      return where ? `${message} (${where})` : message;
    }
    return null;
  }

  /** The greatest value; 0 where there is none. */
  greatest(expression: Expression): number {
    let greatest = 0;
    this.every(expression, value => {
      greatest = Math.max(greatest, value);
      return null;
    });
    return greatest;
  }

  /** A number or an expression in a text, within bounds; else 0, with a finding. */
  read(node: Node, what: string, bounds: Bounds | null): Expression {
    const expression = this.parse(node, what);
    if (!expression) return zero;
    const outside = this.every(expression, value => {
      if (!bounds) return null;
      const { least, most } = bounds;
      if (least === most && value !== least) return `${what} is ${least}, not ${value}`;
      return value < least || value > most ? `${what} is from ${least} to ${most}, not ${value}` : null;
    });
    if (outside === null) return expression;
    this.findings.at(node, outside);
    return zero;
  }

  private parse(node: Node, what: string): Expression | null {
    const value: unknown = node.value;
    if (typeof value === 'number') {
      if (Number.isSafeInteger(value)) return constant(value);
      this.findings.at(node, `${what} is a whole number, not ${value}`);
      return null;
    }
    if (typeof value !== 'string') {
      this.findings.at(node, `${what} is a number or an expression, not ${kindOf(node)}`);
      return null;
    }
    const expression = readExpression(value);
    if ('problem' in expression) {
      this.findings.at(node, `${what}: ${expression.problem}`);
      return null;
    }
    for (const name of expression.names)
      if (!this.names.has(name)) {
        this.findings.at(node, `${what}: no parameter is called '${shown(name)}'`);
        return null;
      }
    return expression;
  }
}
