/** Texts as short keys of caches. */
/** Two 32-bit FNV-1a hashes with different starts and factors, and the length. */
export class TextHash {
  private a = 0x811c9dc5;
  private b = 0x1b873593;
  private length = 0;

  add(text: string): void {
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      this.a = Math.imul(this.a ^ code, 0x01000193);
      this.b = Math.imul(this.b ^ code, 0x5bd1e995);
    }
    this.length += text.length;
    this.number(0x100);
  }

  number(value: number): void {
    this.a = Math.imul(this.a ^ value, 0x01000193);
    this.b = Math.imul(this.b ^ value, 0x5bd1e995);
    // A multiplication moves nothing down: without this, high bits would only ever touch high bits.
    this.a ^= this.a >>> 15;
    this.b ^= this.b >>> 13;
    this.length++;
  }

  get key(): string {
    return `${this.a >>> 0}.${this.b >>> 0}.${this.length}`;
  }
}
