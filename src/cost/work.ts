/** How much work pricing may take: a share for each function, out of what is left for the document. */

/** Instructions, one function in one set of features; and at least so many when the document's are used up. */
const mostForOne = 200_000;
const leastForOne = 4_000;
/** Instructions for one pass over a document. */
const forDocument = 1_500_000;
/** Beyond this many more, nothing is followed any longer. */
const overrun = 500_000;

export class Work {
  private left = forDocument;

  /** Begins another pass. */
  reset(): void {
    this.left = forDocument;
  }

  /** What the next function may take. */
  share(): number {
    if (this.left < -overrun) return 0;
    return Math.max(leastForOne, Math.min(mostForOne, this.left));
  }

  spent(work: number): void {
    this.left -= work;
  }
}
