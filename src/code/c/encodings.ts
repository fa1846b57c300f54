/** Instructions written as bytes, because old assemblers did not know their names. */

/** `registers`: constraint letters of the registers that are its operands; empty where there are none, or fixed ones. */
export interface EncodedInstruction {
  readonly name: string;
  readonly registers: readonly string[];
}

/** Whole instructions without operands of their own: SDM volume 2, AMD's APM volume 3. */
const fixed: Readonly<Record<string, string>> = {
  '0f 01 c1': 'vmcall',
  '0f 01 ca': 'clac',
  '0f 01 cb': 'stac',
  '0f 01 d9': 'vmmcall',
  '0f 01 df': 'invlpga',
  '0f 01 e8': 'serialize',
  '0f 01 f8': 'swapgs',
  '0f 01 f9': 'rdtscp',
  '0f 01 fe': 'invlpgb',
  '0f 01 ff': 'tlbsync',
  '0f 09': 'wbinvd',
  '0f 0b': 'ud2',
  '0f a2': 'cpuid',
  '0f ae e8': 'lfence',
  '0f ae f0': 'mfence',
  '0f ae f8': 'sfence',
  '90': 'nop',
  'f3 90': 'pause',
  f4: 'hlt',
};

/** Constraint letters by register number; there are none for the stack and base pointers. */
const registerLetters = ['a', 'c', 'd', 'b', '', '', 'S', 'D'];
/** INVPCID r64, m128 without its ModRM byte. */
const invpcid = '66 0f 38 82 ';

/** The instruction that a list of bytes (`0x0f, 0x01, 0xff`) encodes, or null. */
export function encodedInstruction(list: string): EncodedInstruction | null {
  const bytes = list
    .split(',')
    .map(byte => Number(byte.trim()))
    .map(byte => byte.toString(16).padStart(2, '0'));
  const text = bytes.join(' ');
  if (Object.hasOwn(fixed, text)) return { name: fixed[text]!, registers: [] };
  if (!text.startsWith(invpcid) || bytes.length !== 5) return null;
  const modrm = parseInt(bytes[4]!, 16);
  const type = registerLetters[(modrm >> 3) & 7];
  const descriptor = registerLetters[modrm & 7];
  // Mode 0: the descriptor's address is in a register, without displacement.
  return modrm >> 6 === 0 && type && descriptor ? { name: 'invpcid', registers: [type, descriptor] } : null;
}
