import { type Browser, chromium } from 'playwright-core';
import { programPath } from './program-path.js';

const names = ['chromium', 'chromium-browser', 'google-chrome'];

/** The path of the browser; `undefined` if it is not installed. */
export const chromiumProgram = names.map(programPath).find((path) => path !== undefined);

/** Starts a headless browser. @throws if it is not installed. */
export async function startChromium(): Promise<Browser> {
  if (chromiumProgram === undefined) throw new Error('There is no chromium.');
  // Its sandbox does not work for root, as which tests often run in containers.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: chromiumProgram, args });
}
