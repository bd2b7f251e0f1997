import { chromiumProgram } from '@contract-server/test-support/machine/chromium.js';
import { describeUnless, reasonToSkip } from '@contract-server/test-support/requirements.js';

/** A suite that needs Chromium. */
export function describeWithChromium(title: string, suite: (this: Mocha.Suite) => void): void {
  describeUnless(reasonToSkip('chromium', chromiumProgram), title, suite);
}
