/** Sections of the assembler: which statements are code, and what control does not run into. */
import type { Frame } from './frame';

export class Sections {
  /** In a section that holds no code. */
  inData = false;
  private readonly outer: { readonly inData: boolean; readonly over: (() => void) | null }[] = [];

  constructor(private readonly frame: Frame) {}

  /** `.section name, "flags"`. */
  enter(section: string): void {
    this.inData = !isCode(section);
  }

  /** Code of another section lies elsewhere: control does not run into it. */
  push(mnemonic: string, rest: string): void {
    if (mnemonic === '.subsection') {
      if (/^0\b/.test(rest.trim())) return this.pop();
    }
    const code = mnemonic === '.subsection' ? !this.inData : isCode(rest);
    let over: (() => void) | null = null;
    if (code && !this.inData) {
      const { builder } = this.frame;
      const label = builder.label();
      builder.jump(label);
      over = () => {
        this.frame.onLabel();
        builder.place(label);
      };
    }
    this.outer.push({ inData: this.inData, over });
    this.inData = !code;
  }

  /** Back to the section before. */
  pop(): void {
    const section = this.outer.pop();
    if (!section) return;
    this.inData = section.inData;
    section.over?.();
  }

  /** Ends sections that the text leaves open, so that every label has a place. */
  finish(): void {
    while (this.outer.length > 0) this.pop();
  }
}

function isCode(section: string): boolean {
  return /^\s*"?\.?[\w.]*(?:text|init|fixup|entry)/.test(section) || /,\s*"[a-z]*x[a-z]*"/.test(section);
}
