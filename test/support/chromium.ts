import { chromiumProgram } from '../../scripts/machine/chromium.js';

const isRequired = (process.env['CI'] ?? '') !== '';

if (chromiumProgram === undefined)
  console.error(
    '\n*** chromium is missing: the tests of the page in a browser are not run. Debian: apt-get install chromium ***\n',
  );

/** A suite that needs a real browser. Without the program its tests are pending, and where CI is set they fail. */
export const describeWithChromium = chromiumProgram !== undefined || isRequired ? describe : describe.skip;
