/** For which numbers of pages an answer holds: between the limits that it was compared with. */
export class PageRange {
  private above = -Infinity;
  private upTo = Infinity;

  constructor(private readonly pages: number) {}

  /** Whether the pages are more than a limit. */
  exceeds(limit: number): boolean {
    const exceeds = this.pages > limit;
    if (exceeds) this.above = Math.max(this.above, limit);
    else this.upTo = Math.min(this.upTo, limit);
    return exceeds;
  }

  /** Whether every comparison so far comes out the same for another number of pages. */
  holdsFor(pages: number): boolean {
    return pages > this.above && pages <= this.upTo;
  }
}
