import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { expect } from 'chai';
import type { Browser, Locator, Page } from 'playwright-core';
import { startChromium } from '../../../scripts/machine/chromium.js';
import { startLibrary } from '../../second-contract/library-service.js';
import { describeWithChromium } from '../../support/chromium.js';
import { startMock } from '../../support/servers/mock.js';
import { startService, type TestService } from '../../support/servers/service.js';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
const wide = { width: 1440, height: 900 };
const narrow = { width: 390, height: 844 };
const windows = {
  'a wide, light window': { size: wide, colorScheme: 'light', background: 'rgb(255, 255, 255)' },
  'a wide, dark window': { size: wide, colorScheme: 'dark', background: 'rgb(15, 15, 15)' },
  'a narrow, light window': { size: narrow, colorScheme: 'light', background: 'rgb(255, 255, 255)' },
  'a narrow, dark window': { size: narrow, colorScheme: 'dark', background: 'rgb(15, 15, 15)' },
} as const;
const exact = '{"name":"Max","categoryId":9223372036854775807}';

describeWithChromium('/docs in a browser', function () {
  this.timeout(60_000);
  let service: TestService;
  let browser: Browser;
  let page: Page;
  /** Errors, and messages of the console except the version of the viewer. */
  let complaints: string[];
  /** The hosts of all requests. */
  let hosts: Set<string>;
  before(async () => {
    service = await startService();
    browser = await startChromium();
    page = await browser.newPage();
    page.on('console', (message) => message.type() === 'info' || complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => hosts.add(new URL(request.url()).host));
  });
  after(async () => {
    await browser.close();
  });
  beforeEach(() => {
    complaints = [];
    hosts = new Set();
  });

  const open = async (path = '/docs', size = wide, origin = service.baseUrl) => {
    await page.setViewportSize(size);
    // Without it, a URL that differs in the fragment only would not load the page again.
    await page.goto('about:blank');
    await page.goto(new URL(path, origin).href);
    await page.locator('#content h1').waitFor();
  };
  const operation = (id: string): Locator => page.locator(`section[id$="/${id}"]`);
  const dialog = (): Locator => page.getByRole('dialog', { name: 'API Client' });
  const goTo = async (id: string) => {
    await page.evaluate(`location.hash = '#tag/animals/${id}'`);
    await operation(id).getByRole('button', { name: 'Test Request' }).waitFor();
  };
  const tryOut = async (id: string) => {
    await operation(id).getByRole('button', { name: 'Test Request' }).click();
    await dialog().getByRole('button', { name: 'Send' }).first().waitFor();
  };
  const enterKey = () => dialog().getByRole('textbox', { name: 'Bearer Token' }).fill(service.token);
  const send = async (status: string) => {
    await dialog().getByRole('button', { name: 'Send' }).first().click();
    await dialog().getByText(status).first().waitFor();
  };
  const search = async (text: string, size = wide) => {
    if (size === narrow) await page.getByRole('button', { name: 'Open Menu' }).click();
    await page.getByRole('button', { name: 'Open Search' }).click();
    await page.getByRole('combobox').last().fill(text);
    await page.getByRole('option').first().waitFor();
  };
  /** @param part a CSS selector */
  const violations = async (part: string) => {
    await page.evaluate(axeSource);
    // Colours and positions change while something appears.
    await page.evaluate(`Promise.allSettled(document.getAnimations().flatMap(({ effect, finished }) =>
      effect.getComputedTiming().endTime === Infinity ? [] : finished))`);
    const options = JSON.stringify({ runOnly: rules });
    const results = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify(part)}, ${options})`);
    return results.violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
  };
  /** Whether elements show the API key, other than those that mask it. */
  const showsKey = () =>
    page.evaluate<boolean>(`(() => {
      const copy = document.documentElement.cloneNode(true);
      for (const masked of copy.querySelectorAll('.scalar-password-input, .credential')) masked.remove();
      return copy.outerHTML.includes(${JSON.stringify(service.token)});
    })()`);

  it('shows an error if the contract cannot be loaded', async () => {
    await page.route('**/openapi.json', (route) => route.abort());
    await page.goto(new URL('/docs', service.baseUrl).href);
    await page.getByText('The reference could not be loaded.').waitFor();
    await page.unroute('**/openapi.json');
  });

  for (const [name, { size, colorScheme, background }] of Object.entries(windows)) {
    it(`meets WCAG level AA, fits, and has no errors or requests to other hosts, in ${name}`, async () => {
      const check = async (state: string, part = 'html') => {
        expect(await violations(part), state).to.deep.equal([]);
        expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth'), state).to.equal(0);
      };
      await page.emulateMedia({ colorScheme });
      await open('/docs', size);
      expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).to.equal(background);
      await check('overview');
      await goTo('createPet');
      await check('operation');
      await tryOut('createPet');
      await enterKey();
      await send('201 Created');
      await check('try-out', '[role=dialog][aria-label="API Client"]');
      await page.keyboard.press('Escape');
      await search('cursor', size);
      await check('search', '[role=dialog]:has([role=combobox])');
      expect(complaints).to.deep.equal([]);
      expect([...hosts]).to.deep.equal([new URL(service.baseUrl).host]);
    });
  }

  it('sends and shows 64-bit integers exactly, and neither shows nor stores the API key', async () => {
    // Other tests have sent another body with the Idempotency-Key of the example, which is stored for a day.
    service.clock.now += 86_400_000;
    await open('/docs#tag/animals/createPet');
    await tryOut('createPet');
    await dialog().locator('.cm-content').first().fill(exact);
    const sent = page.waitForRequest((request) => request.method() === 'POST');
    await enterKey();
    await send('201 Created');
    expect((await sent).postData()).to.equal(exact);
    expect(await dialog().innerText()).to.contain('"categoryId": 9223372036854775807');
    await dialog().getByRole('button', { name: 'Request Headers' }).click();
    await dialog().getByText('Bearer ••••').waitFor();
    expect(await showsKey()).to.equal(false);
    // The form of the request would round integers.
    for (const form of await dialog().getByText('Form', { exact: true }).all())
      expect(await form.isVisible()).to.equal(false);
    expect(await page.evaluate('({ ...localStorage, ...sessionStorage })')).to.deep.equal({});
    await page.keyboard.press('Escape');
    await goTo('listPets');
    await tryOut('listPets');
    const listed = page.waitForRequest(/\/v1\/pets/);
    await send('200 OK');
    expect((await listed).url()).to.equal(new URL('/v1/pets', service.baseUrl).href);
    expect(await showsKey()).to.equal(false);
  });

  it('shows a sample that calls the server of the page, and ranges, defaults and allowed values', async () => {
    await open('/docs#tag/animals/createPet');
    const sample = operation('createPet').locator('pre').filter({ hasText: 'curl' });
    expect(await sample.innerText()).to.contain(new URL('/v1/pets', service.baseUrl).href);
    await goTo('listPets');
    const text = (await operation('listPets').innerText()).replace(/\s+/g, ' ');
    expect(text).to.match(/limit Type: integer min: 1 max: 100 Default 20 .*"available" or "pending" or "sold"/);
  });

  it('finds operations and error codes', async () => {
    await open();
    await search('create');
    await page.getByRole('option', { name: /Operation: Create a pet/ }).click();
    await operation('createPet').getByRole('button', { name: 'Test Request' }).waitFor();
    await search('error codes');
    await page
      .getByRole('option', { name: /Error codes/ })
      .first()
      .click();
    await page.getByText('400 invalid_cursor: ').waitFor();
    expect(new URL(page.url()).hash).to.equal('#description/error-codes');
  });

  it('opens the topic, the operation, the group or the error codes of a deep link', async () => {
    const targets = {
      'description/rate-limits': 'Rate limits',
      'tag/animals/getPet': 'Get a pet',
      'tag/store': 'Store',
      'description/error-codes': 'Error codes',
    };
    for (const [hash, text] of Object.entries(targets)) {
      await open(`/docs#${hash}`, narrow);
      const target = page.locator('#content').getByText(text, { exact: true }).filter({ visible: true });
      await target.last().waitFor();
      await page.waitForFunction(
        ([element]) => {
          const { top, bottom } = (
            element as unknown as { getBoundingClientRect(): { top: number; bottom: number } }
          ).getBoundingClientRect();
          return top >= 0 && bottom < 844;
        },
        [await target.last().elementHandle()],
      );
    }
  });

  it('has a skip link, and links to the contract', async () => {
    await open();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).to.equal('Skip to the reference');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).to.equal('content');
    for (const name of ['openapi.yaml', 'openapi.json']) {
      expect(await page.getByRole('link', { name, exact: true }).getAttribute('href')).to.match(
        new RegExp(`(^|/)${name}$`),
      );
    }
  });

  it('works below the path prefix of a proxy', async () => {
    await page.route('**/shop/**', async (route) => {
      const url = route.request().url().replace('/shop/', '/');
      await route.fulfill({ response: await route.fetch({ url }) });
    });
    await open('/shop/docs#tag/animals/listPets');
    await tryOut('listPets');
    await enterKey();
    const sent = page.waitForRequest(/\/v1\/pets/);
    await send('200 OK');
    expect((await sent).url()).to.equal(new URL('/shop/v1/pets', service.baseUrl).href);
  });

  it('shows the contract of the mock server, and another contract', async () => {
    const mock = await startMock();
    const library = await startLibrary();
    await open('/docs#tag/animals/listPets', wide, mock.baseUrl);
    await operation('listPets').getByRole('button', { name: 'Test Request' }).waitFor();
    await open('/docs#tag/books/searchBooks', wide, library.baseUrl);
    await operation('searchBooks').getByRole('button', { name: 'Test Request' }).waitFor();
    expect(complaints).to.deep.equal([]);
    await Promise.all([mock.close(), library.close()]);
  });
});
