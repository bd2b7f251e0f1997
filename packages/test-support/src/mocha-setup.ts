/** Prepares the processes of a test run: the main process, and the workers over which Mocha distributes the files. */
import { closingHooks } from './closing.js';

// Mocha passes options of Node, such as --enable-source-maps, to no worker.
process.setSourceMapsEnabled(true);

if (process.env['MOCHA_WORKER_ID'] !== undefined) {
  // Mocha ends its workers with a message, also at Ctrl-C, and a second later with SIGTERM. A signal would end them
  // before they have written their coverage, killed their servers and removed their files.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
}

export const mochaHooks = closingHooks;

/** The number of skipped tests, by reason. */
const skipped = new Map<string, number>();

/** Runs in the main process before the tests. `describeUnless` puts the reason into the title of a suite. */
export function mochaGlobalSetup(this: Mocha.Runner): void {
  this.on('pending', (test) => {
    const reason = /\[skipped: (.+?)\]/.exec(test.fullTitle())?.[1] ?? test.fullTitle();
    skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
  });
}

/** Runs in the main process after the tests. */
export function mochaGlobalTeardown(): void {
  for (const [reason, count] of skipped) console.log(`  ${String(count)} skipped: ${reason}`);
}
