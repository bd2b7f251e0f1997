import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome'];
const folders = (process.env['PATH'] ?? '').split(':');
const program = folders.flatMap((folder) => names.map((name) => join(folder, name))).find((path) => existsSync(path));
const isRequired = (process.env['CI'] ?? '') !== '';

if (program === undefined)
  console.error(
    '\n*** chromium is missing: the tests of the page in a browser are not run. Debian: apt-get install chromium ***\n',
  );

/** A suite that needs a real browser. Without the program its tests are pending, and where CI is set they fail. */
export const describeWithChromium = program !== undefined || isRequired ? describe : describe.skip;

/** A browser without a window. */
export async function startChromium(): Promise<Browser> {
  if (program === undefined) throw new Error('There is no chromium.');
  // Its sandbox refuses to work for root, as which tests often run in containers.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: program, args });
}
