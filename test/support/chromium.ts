import { chromiumProgram } from '../../scripts/machine/chromium.js';
import { describeUnless, reasonToSkip } from './requirements.js';

/** A suite that needs Chromium. */
export function describeWithChromium(title: string, suite: (this: Mocha.Suite) => void): void {
  describeUnless(reasonToSkip('chromium', chromiumProgram), title, suite);
}
