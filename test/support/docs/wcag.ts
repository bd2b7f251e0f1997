import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** Finds violations of WCAG, level AA, in the part of a page that a CSS selector selects. */
export async function violationsIn(page: Page, part: string): Promise<string[]> {
  await page.evaluate(axeSource);
  // Colours and positions change while something appears.
  await page.evaluate(`Promise.allSettled(document.getAnimations().flatMap(({ effect, finished }) =>
    effect.getComputedTiming().endTime === Infinity ? [] : finished))`);
  const options = JSON.stringify({ runOnly: rules, resultTypes: ['violations'] });
  const results = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify(part)}, ${options})`);
  return results.violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}
