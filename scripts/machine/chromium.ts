import { type Browser, chromium } from 'playwright-core';
import { programPath } from './program-path.js';

const names = ['chromium', 'chromium-browser', 'google-chrome'];

/** Where the browser is; `undefined` where there is none. */
export const chromiumProgram = names.map(programPath).find((path) => path !== undefined);

/** A browser without a window. @throws if there is none. */
export async function startChromium(): Promise<Browser> {
  if (chromiumProgram === undefined) throw new Error('There is no chromium.');
  // Its sandbox refuses to work for root, as which tests often run in containers.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: chromiumProgram, args });
}
