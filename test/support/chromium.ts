import { chromiumProgram } from '../../scripts/machine/chromium.js';

const isRequired = (process.env['CI'] ?? '') !== '';

if (chromiumProgram === undefined)
  console.error(
    '\n*** chromium is missing: the tests of the page in a browser are skipped. Debian: apt-get install chromium ***\n',
  );

/** A suite that needs Chromium. Without it, its tests are pending; in CI, they fail. */
export const describeWithChromium = chromiumProgram !== undefined || isRequired ? describe : describe.skip;
