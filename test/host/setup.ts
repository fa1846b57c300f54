/** First import of the bundle: makes `describe`, `it` and the hooks, which the test files use as they load. */
import 'mocha/mocha.js';

/** Which extension host this bundle is for; esbuild puts the text in. */
declare const HOST_KIND: 'node' | 'web';

export const hostKind = HOST_KIND;

class ConsoleReporter extends Mocha.reporters.Base {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    runner.on('pass', test => console.log(`    ✔ ${test.fullTitle()} (${test.duration ?? 0} ms)`));
    runner.on('pending', test => console.log(`    - ${test.fullTitle()}`));
    runner.on('fail', (test, error: Error) => {
      console.log(`    ✖ ${test.fullTitle()}`);
      for (const line of (error.stack ?? error.message).split('\n').slice(0, 12))
        console.log(`        ${line}`);
    });
  }
}

export const mocha = new Mocha({ ui: 'bdd', timeout: 30_000, reporter: ConsoleReporter });
mocha.suite.emit('pre-require', globalThis, '', mocha);
