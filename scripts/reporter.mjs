// Mocha's dot reporter, which also appends its totals, one JSON line, to the file that TLBSCOPE_TOTALS names.
import { appendFileSync } from 'node:fs';
import Mocha from 'mocha';

export default class CountingReporter extends Mocha.reporters.Dot {
  constructor(runner, options) {
    super(runner, options);
    const file = process.env.TLBSCOPE_TOTALS;
    if (!file) return;
    runner.once('end', () => {
      const { passes = 0, failures = 0, pending = 0 } = this.stats;
      appendFileSync(file, `${JSON.stringify({ passed: passes, failed: failures, skipped: pending })}\n`);
    });
  }
}
