/** `typeof(…)`: the grammar does not know it, so a marker name stands for it until its operand can be typed. */
import { BoundReached } from './bounds';
import type { Token } from './tokens';
import { madeUp } from './tokens';
import type { CType } from './types';
import { unknownType } from './types';

const prefix = '__typeof_';

export class TypeMarkers {
  private readonly operands: Token[][] = [];
  private readonly types = new Map<string, CType>();
  /** Types an operand; set while a function is lowered. */
  resolver: ((tokens: readonly Token[]) => CType) | null = null;

  /** The tokens with every `typeof (…)` replaced by a marker. */
  mark(tokens: readonly Token[]): Token[] {
    const result: Token[] = [];
    for (let at = 0; at < tokens.length; at++) {
      const token = tokens[at]!;
      if (token.text !== 'typeof' || tokens[at + 1]?.text !== '(') {
        result.push(token);
        continue;
      }
      let depth = 0;
      let end = at + 1;
      for (; end < tokens.length; end++) {
        if (tokens[end]!.text === '(') depth++;
        else if (tokens[end]!.text === ')' && --depth === 0) break;
      }
      if (this.operands.length > 2_000) throw new BoundReached('expandedTokens');
      const name = `${prefix}${this.operands.length}`;
      this.operands.push(tokens.slice(at + 2, end));
      result.push({ ...madeUp(name, token.line), from: token.from, to: token.to });
      at = end;
    }
    return result;
  }

  /** The type behind a marker; null for other names. */
  typeOf(name: string): CType | null {
    if (!name.startsWith(prefix)) return null;
    const known = this.types.get(name);
    if (known) return known;
    const operand = this.operands[Number(name.slice(prefix.length))];
    const type = operand && this.resolver ? this.resolver(operand) : unknownType;
    this.types.set(name, type);
    return type;
  }
}
