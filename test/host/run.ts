/** What VS Code calls: runs the tests that have been loaded and prints their totals for scripts/hostTests.mjs. */
import { mocha } from './setup';

export function run(): Promise<void> {
  return new Promise((done, failed) => {
    const runner = mocha.run(failures => {
      const { passes = 0, pending = 0 } = runner.stats ?? {};
      console.log(
        `TLBSCOPE-TOTALS ${JSON.stringify({ passed: passes, failed: failures, skipped: pending })}`,
      );
      if (failures) failed(new Error(`${failures} failed`));
      else done();
    });
  });
}
