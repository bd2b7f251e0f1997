import { startChromium } from '../machine/chromium.js';

const viewport = { width: 1280, height: 1060 };

/** Takes a screenshot of the API reference after "Try it out", as a PNG file. */
export async function pictureDocsPage(baseUrl: string, token: string): Promise<Buffer> {
  const browser = await startChromium();
  try {
    const page = await browser.newPage({ viewport });
    await page.goto(new URL('/docs', baseUrl).href);
    await page.fill('#api-key', token);
    await page.click('nav a[href="#operations-animals-listPets"]');
    const operation = page.locator('#operations-animals-listPets');
    await operation.locator('tr[data-param-name="limit"] input').fill('1');
    await operation.locator('tr[data-param-name="status"] select').selectOption('available');
    await operation.locator('.execute').click();
    await operation.locator('.live-responses-table tr.response').waitFor();
    await operation
      .locator('tr[data-param-name="limit"]')
      .evaluate((row: { scrollIntoView(): void }) => row.scrollIntoView());
    // The picture must not contain a key, which would look like a leaked one.
    await operation
      .locator('.curl')
      .getByText(token)
      .evaluate(
        (text: { textContent: string }, key: string) => (text.textContent = text.textContent.replace(key, '$API_KEY')),
        token,
      );
    return await page.screenshot({ animations: 'disabled' });
  } finally {
    await browser.close();
  }
}
