/** What the built-in macros do: alternatives, labels, Xen's out-of-line code and stack arithmetic. */
import type { Register } from '../ir';
import { flag, type Label } from './builder';
import type { BuiltinClass } from './builtinNames';
import { readFeature } from './features';
import type { ExpansionContext } from './expander';
import { calledName } from './routines';
import { splitArguments, unquote } from './statements';

interface OpenAlternative {
  readonly other: Label;
  readonly done: Label;
  placed: boolean;
}

export class Builtins {
  private readonly alternatives: OpenAlternative[] = [];
  /** Opcode written as a byte whose operand has not come yet. */
  private opcode = '';

  constructor(
    private readonly context: ExpansionContext,
    private readonly runText: (text: string) => void,
  ) {}

  private get builder() {
    return this.context.frame.builder;
  }

  /** Runs a built-in; false if its arguments make no sense. */
  run(kind: BuiltinClass, name: string, rest: string): boolean {
    if (kind === 'silent' || kind === 'end') return true;
    if (kind === 'start' || kind === 'inner') {
      const label = calledName(rest);
      if (label !== '') this.context.frame.define(label);
      return true;
    }
    if (name.startsWith('ALTERNATIVE') || name === 'alternative_insn') return this.alternative(name, rest);
    if (name.startsWith('alternative_')) return this.block(name, rest);
    const args = splitArguments(inParentheses(rest));
    return this.named(name, args, rest);
  }

  private named(name: string, args: readonly string[], rest: string): boolean {
    const [first = '', second = ''] = args;
    switch (name) {
      case 'RET':
        return this.instruction('ret', '');
      case 'SWAPGS':
        return this.instruction('swapgs', '');
      case 'INTERRUPT_RETURN':
        return this.instruction('iretq', '');
      case 'DISABLE_INTERRUPTS':
        return this.instruction('cli', '');
      case 'ENABLE_INTERRUPTS':
        return this.instruction('sti', '');
      case 'LOCK_PREFIX':
        return rest === '' || this.instruction('lock', rest);
      case 'ASSERT_FAILED':
        return this.instruction('ud2', '');
      case 'CALL_NOSPEC':
      case 'INDIRECT_CALL':
        return this.instruction('call', `*${registerText(first)}`);
      case 'JMP_NOSPEC':
        return this.instruction('jmp', `*${registerText(first)}`);
      case 'UNLIKELY_START':
        return this.unlikelyStart(first, second);
      case 'UNLIKELY_DONE':
        return this.instruction(`j${first}`, `.Llikely.${second}`);
      case 'UNLIKELY_END':
      case '__UNLIKELY_END':
        this.context.frame.define(`.Llikely.${first}`);
        return true;
      case 'GET_STACK_END':
        return this.stackEnd(first);
      case 'GET_CURRENT':
      case '__GET_CURRENT':
        return (
          (name === '__GET_CURRENT' || this.stackEnd(first)) &&
          this.instruction('movq', `STACK_CPUINFO_FIELD(current_vcpu)(%r${first}), %r${first}`)
        );
      case 'GET_CPUINFO_FIELD':
        return (
          this.stackEnd(second) &&
          this.instruction('leaq', `STACK_CPUINFO_FIELD(${first})(%r${second}), %r${second}`)
        );
      default:
        return false;
    }
  }

  /** Macros that are known by name where their definition is not in sight. */
  fallback(name: string, rest: string): boolean {
    const register = splitArguments(rest)[0]?.replace(/^\w+\s*=\s*/, '') ?? '';
    if (register === '') return false;
    if (name === 'write_cr3') return this.writeCr3(splitArguments(rest));
    if (name === 'SET_NOFLUSH_BIT') return this.instruction('bts', `$63, ${register}`);
    if (name !== 'ADJUST_KERNEL_CR3') return false;
    // Bit 63 where there are PCIDs; bits 12 and 11 (user half of the root, user PCID) cleared.
    this.choose(
      [{ feature: 'X86_FEATURE_PCID', run: () => this.instruction('bts', `$63, ${register}`) }],
      () => undefined,
    );
    return this.instruction('andq', `$~0x1800, ${register}`);
  }

  /** Xen before 4.11: a write of CR3 with global pages off around it, so that they go too. */
  private writeCr3(args: readonly string[]): boolean {
    const [value, first, second] = args.map(registerText);
    if (value === undefined || first === undefined || second === undefined) return false;
    return (
      this.instruction('mov', `%cr4, ${first}`) &&
      this.instruction('mov', `${first}, ${second}`) &&
      this.instruction('and', `$~X86_CR4_PGE, ${first}`) &&
      this.instruction('mov', `${first}, %cr4`) &&
      this.instruction('mov', `${value}, %cr3`) &&
      this.instruction('mov', `${second}, %cr4`)
    );
  }

  private instruction(mnemonic: string, rest: string): boolean {
    return this.context.machine.instruction(mnemonic, rest);
  }

  /** Code that a feature chooses; later choices win. */
  private choose(
    choices: readonly { readonly feature: string; readonly run: () => void }[],
    otherwise: () => void,
  ): void {
    const { frame } = this.context;
    const done = this.builder.label();
    const targets: { readonly label: Label; readonly run: () => void }[] = [];
    let always = false;
    for (const { feature, run } of [...choices].reverse()) {
      const label = this.builder.label();
      const test = readFeature(feature);
      targets.push({ label, run });
      if (test === true) {
        this.builder.jump(label);
        always = true;
        break;
      }
      this.builder.branch(this.feature(test.name, test.absent), label, feature.trim());
    }
    if (!always) otherwise();
    for (const { label, run } of targets) {
      this.builder.jump(done);
      frame.onLabel();
      this.builder.place(label);
      run();
    }
    frame.onLabel();
    this.builder.place(done);
  }

  private feature(name: string, absent: boolean): Register {
    const dst = this.builder.temp(flag);
    this.builder.emit({ op: 'feature', dst, feature: name, kind: 'cpu', default: null });
    return absent ? this.builder.not(dst) : dst;
  }

  /** ALTERNATIVE old, new, feature [, new, feature]…; ALTERNATIVE_TERNARY(old, feature, yes, no). */
  private alternative(name: string, rest: string): boolean {
    const args = splitArguments(inParentheses(rest));
    if (args.length < 3) return false;
    const content = (text: string) => (): void => this.runText(this.content(text));
    const [first, second, third, fourth] = args as [string, string, string, string?];
    if (name === 'ALTERNATIVE_TERNARY') {
      if (fourth === undefined) return false;
      this.choose([{ feature: second, run: content(third) }], content(fourth));
      return true;
    }
    const choices: { feature: string; run: () => void }[] = [];
    for (let at = 1; at + 1 < args.length; at += 2)
      choices.push({ feature: args[at + 1]!, run: content(args[at]!) });
    this.choose(name === 'alternative_insn' ? choices.slice(0, 1) : choices, content(first));
    return true;
  }

  /** The instructions that an argument of ALTERNATIVE stands for. */
  private content(argument: string): string {
    const quoted = /^__stringify\s*\(([^]*)\)$/.exec(argument.trim());
    if (quoted) return this.context.preprocess(quoted[1]!);
    return argument.trim().startsWith('"') ? unquote(argument) : argument;
  }

  /** arm64: `alternative_if CAP … alternative_else … alternative_endif`. */
  private block(name: string, rest: string): boolean {
    const { frame } = this.context;
    const top = this.alternatives.at(-1);
    switch (name) {
      case 'alternative_if':
      case 'alternative_if_not': {
        const test = readFeature(splitArguments(rest)[0] ?? '');
        const open = { other: this.builder.label(), done: this.builder.label(), placed: false };
        this.alternatives.push(open);
        if (test === true) return true;
        const present = this.feature(test.name, test.absent);
        const skip = name === 'alternative_if' ? this.builder.not(present) : present;
        this.builder.branch(skip, open.other, `${name === 'alternative_if' ? '!' : ''}${rest.trim()}`);
        return true;
      }
      case 'alternative_else':
        if (!top) return true;
        this.builder.jump(top.done);
        frame.onLabel();
        this.builder.place(top.other);
        top.placed = true;
        return true;
      case 'alternative_endif':
      case 'alternative_else_nop_endif':
        this.close();
        return true;
      default:
        // Callbacks that patch the code: what is written is what they find.
        return true;
    }
  }

  private close(): void {
    const top = this.alternatives.pop();
    if (!top) return;
    this.context.frame.onLabel();
    if (!top.placed) this.builder.place(top.other);
    this.builder.place(top.done);
  }

  /** Ends alternatives that the text leaves open. */
  finish(): void {
    while (this.alternatives.length > 0) this.close();
  }

  /** Xen: out-of-line code, entered if the condition holds. */
  private unlikelyStart(condition: string, tag: string): boolean {
    const { frame } = this.context;
    frame.define(`.Ldispatch.${tag}`);
    if (!this.instruction(`j${condition}`, `.Lunlikely.${tag}`)) return false;
    if (condition !== 'mp') this.builder.jump(frame.target(`.Llikely.${tag}`));
    frame.define(`.Lunlikely.${tag}`);
    return true;
  }

  /** Xen: the end of the stack that RSP points into, less 1. */
  private stackEnd(register: string): boolean {
    if (register === '') return false;
    const narrow = /^\d+$/.test(register) ? `%r${register}d` : `%e${register}`;
    return (
      this.instruction('movl', `$STACK_SIZE-1, ${narrow}`) && this.instruction('orq', `%rsp, %r${register}`)
    );
  }

  /** Instructions written as bytes because old assemblers do not know them; false for other bytes. */
  bytes(directive: string, rest: string): boolean {
    const opcode = this.opcode;
    this.opcode = '';
    if (directive === '.long' && opcode === 'e9') {
      const target = /^([\w.$]+)\s*-\s*\(?\s*\.\s*\+\s*4\s*\)?$/.exec(rest.trim());
      return target !== null && this.instruction('jmp', target[1]!);
    }
    if (directive !== '.byte') return false;
    const bytes = rest.split(',').map(text => Number(text.trim()));
    const text = bytes.map(value => value.toString(16).padStart(2, '0')).join(' ');
    switch (text) {
      // JMP, its displacement to follow; a CS prefix; PAUSE; INVLPGB and TLBSYNC (AMD APM volume 3).
      case 'e9':
        this.opcode = text;
        return true;
      case '2e':
        return true;
      case 'f3 90':
        return this.instruction('pause', '');
      case '0f 01 fe':
        return this.instruction('invlpgb', '');
      case '0f 01 ff':
        return this.instruction('tlbsync', '');
      default:
        return false;
    }
  }
}

/** `(a, b)` → `a, b`; other text as it is. */
function inParentheses(rest: string): string {
  const trimmed = rest.trim();
  return trimmed.startsWith('(') && trimmed.endsWith(')') ? trimmed.slice(1, -1) : trimmed;
}

function registerText(argument: string): string {
  return /^[%\\]/.test(argument) ? argument : `%${argument}`;
}
