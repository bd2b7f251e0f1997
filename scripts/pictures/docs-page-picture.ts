import type { Page } from 'playwright-core';
import { startChromium } from '../machine/chromium.js';

const viewport = { width: 1280, height: 800 };

/** Takes screenshots of the API reference, as PNG files: an operation, and a request with its response. */
export async function pictureDocsPage(baseUrl: string, token: string): Promise<{ operation: Buffer; tryOut: Buffer }> {
  const browser = await startChromium();
  try {
    const page = await browser.newPage({ viewport });
    const operation = await pictureOperation(page, baseUrl);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.reload();
    return { operation, tryOut: await pictureTryOut(page, token) };
  } finally {
    await browser.close();
  }
}

async function pictureOperation(page: Page, baseUrl: string): Promise<Buffer> {
  await page.goto(new URL('/docs#tag/animals/createPet', baseUrl).href);
  await page.locator('section[id$="/createPet"]').getByRole('button', { name: 'Test Request' }).waitFor();
  // The viewer marks the target of a deep link for a moment.
  await page.locator('section[id$="/createPet"]').hover();
  return page.screenshot({ animations: 'disabled' });
}

/** The picture shows no key: the page masks it. */
async function pictureTryOut(page: Page, token: string): Promise<Buffer> {
  await page.locator('section[id$="/createPet"]').getByRole('button', { name: 'Test Request' }).click();
  const dialog = page.getByRole('dialog', { name: 'API Client' });
  await dialog.getByRole('textbox', { name: 'Bearer Token' }).fill(token);
  await dialog.locator('.cm-content').first().fill('{\n  "name": "Max",\n  "categoryId": 9223372036854775807\n}');
  await dialog.getByRole('button', { name: 'Send' }).first().click();
  await dialog.getByText('201 Created').first().waitFor();
  return page.screenshot({ animations: 'disabled' });
}
