import { programPath } from './machine/program-path.js';

/** Set by `npm test -- --quick`, which skips what needs a program of the system. */
const isQuick = process.env['PETSTORE_TEST_QUICK'] === 'on';

/** Why tests with this program are skipped, or `undefined`. @throws in CI if the program is not installed. */
export function reasonToSkip(program: string, path: string | undefined): string | undefined {
  if (isQuick) return `${program}, by --quick`;
  if (path !== undefined) return undefined;
  if ((process.env['CI'] ?? '') !== '') throw new Error(`${program} is not installed.`);
  return `${program} is not installed`;
}

/** As `reasonToSkip`, for a program on the path. */
export function reasonToSkipWithout(program: string): string | undefined {
  return reasonToSkip(program, programPath(program));
}

/** A suite, which is skipped if there is a reason. The summary at the end of a run prints the reason. */
export function describeUnless(reason: string | undefined, title: string, suite: (this: Mocha.Suite) => void): void {
  if (reason === undefined) describe(title, suite);
  else describe.skip(`${title} [skipped: ${reason}]`, suite);
}
