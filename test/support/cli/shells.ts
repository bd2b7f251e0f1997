import { programPath } from '../../../scripts/machine/program-path.js';

const isRequired = (process.env['CI'] ?? '') !== '';

/** A test that needs a shell. Without it, the test is pending, with a warning; in CI, it fails. */
export function itWithShell(shell: string, title: string, test: Mocha.AsyncFunc): void {
  if (isRequired || programPath(shell) !== undefined) {
    it(title, test);
    return;
  }
  console.error(`\n*** ${shell} is missing: a test of completion is skipped. Debian: apt-get install ${shell} ***\n`);
  it.skip(title, test);
}
