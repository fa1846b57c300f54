/** Rewrites the kernel's declaring macros to plain C before anything is parsed. */
import { splitArguments } from './expand';
import { functionHeadMacro, perCpuDeclaration } from './kernelMacros';
import { parameterListAt } from './shape';
import type { Token } from './tokens';
import { madeUp } from './tokens';

/** The head of a function as plain C, and the function's name. */
export function rewriteHead(tokens: readonly Token[]): { head: readonly Token[]; name: string } {
  const open = parameterListAt(tokens, 0, tokens.length);
  const name = tokens[open - 1];
  if (!name) return { head: tokens, name: '' };
  const macro = functionHeadMacro.exec(name.text);
  if (!macro) {
    // A head without a type of its own (the line before it is not shown) gets one, so that it parses.
    const bare = open === 1;
    return { head: bare ? [madeUp('long', name.line), ...tokens] : tokens, name: name.text };
  }
  const [first = [], ...rest] = splitArguments(tokens.slice(open));
  const plain = first.find(token => token.kind === 'name') ?? name;
  const made = (text: string): Token => madeUp(text, name.line);
  if (macro[1] === undefined)
    return {
      head: [
        made('void'),
        plain,
        made('('),
        made('struct'),
        made('pt_regs'),
        made('*'),
        made('regs'),
        made(')'),
      ],
      name: plain.text,
    };
  const parameters: Token[] = [];
  for (let at = 0; at + 1 < rest.length; at += 2)
    parameters.push(...(at ? [made(',')] : []), ...rest[at]!, ...rest[at + 1]!);
  const text = `sys_${plain.text}`;
  return { head: [made('long'), { ...plain, text }, made('('), ...parameters, made(')')], name: text };
}

/** A declaration at file level as plain C, and the names that it declares per-CPU. */
export function rewriteDeclaration(tokens: readonly Token[]): { tokens: readonly Token[]; perCpu: string[] } {
  const at = tokens.findIndex(
    (token, index) => tokens[index + 1]?.text === '(' && perCpuDeclaration.test(token.text),
  );
  if (at < 0 || at > 6) return { tokens, perCpu: [] };
  const macro = tokens[at]!;
  let depth = 0;
  let end = at + 1;
  for (; end < tokens.length; end++) {
    if (tokens[end]!.text === '(') depth++;
    else if (tokens[end]!.text === ')' && --depth === 0) break;
  }
  const args = splitArguments(tokens.slice(at + 1, end + 1));
  const rest = tokens.slice(end + 1);
  const made = (text: string): Token => madeUp(text, macro.line);
  const [type = [], name = []] = args;
  // `DEFINE_PER_CPU(int [4], x)`: the bounds belong behind the name.
  const bracket = type.findIndex(token => token.text === '[');
  const base = bracket < 0 ? type : type.slice(0, bracket);
  const bound = bracket < 0 ? [] : type.slice(bracket);
  const extern = macro.text.startsWith('DECLARE') ? [made('extern')] : [];
  const before = tokens.slice(0, at).filter(token => token.text !== 'extern');
  return {
    tokens: [...extern, ...before, ...base, ...name, ...bound, ...rest],
    perCpu: name.flatMap(token => (token.kind === 'name' ? [token.text] : [])).slice(0, 1),
  };
}
