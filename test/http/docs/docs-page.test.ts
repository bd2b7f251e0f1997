import { readFileSync } from 'node:fs';
import { startChromium } from '@contract-server/test-support/machine/chromium.js';
import { expect } from 'chai';
import type { Browser, Locator, Page } from 'playwright-core';
import { parse } from 'yaml';
import { describeWithChromium } from '../../support/chromium.js';
import { startCommand } from '../../support/cli/running-command.js';
import { document } from '../../support/contract/document.js';
import { violationsIn } from '../../support/docs/wcag.js';
import { useService } from '../../support/servers/service.js';

const anotherContract = 'packages/test-support/src/second-contract/contract.yaml';
/** In place of the viewer, which takes seconds to load: shows the contract that the page passes to it. */
const stubOfViewer = `var Scalar = {
  createApiReference: (selector, { content }) => (document.querySelector(selector).textContent = JSON.stringify(content)),
};`;
const wide = { width: 1440, height: 900 };
const narrow = { width: 390, height: 844 };
/** A function of the browser. */
const isInWindow = `(element) => {
  const { top, bottom } = element.getBoundingClientRect();
  return top >= 0 && bottom < innerHeight;
}`;
const exact = '{"name":"Max","categoryId":9223372036854775807}';

describeWithChromium('/docs in a browser', function () {
  this.timeout(60_000);
  const service = useService();
  let browser: Browser;
  let page: Page;
  /** Errors, and messages of the console except the version of the viewer. */
  let complaints: string[] = [];
  let hosts = new Set<string>();
  before(async () => {
    browser = await startChromium();
    page = await browser.newPage();
    page.on('console', (message) => message.type() === 'info' || complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => hosts.add(new URL(request.url()).host));
  });
  after(() => browser.close());

  /** Loads the page, which takes seconds: tests share it where they can. */
  const open = async (path = '/docs') => {
    [complaints, hosts] = [[], new Set()];
    await page.setViewportSize(wide);
    // Without it, a URL that differs in the fragment only would not load the page again.
    await page.goto('about:blank');
    await page.goto(new URL(path, service.baseUrl).href);
    await page.locator('#content h1').waitFor();
  };
  /** Loads the page with the stub. Resolves with the contract that it passes to the viewer. */
  const contractAt = async (origin: string) => {
    complaints = [];
    await page.goto(new URL('/docs', origin).href);
    const text = await page.locator('#reference', { hasText: '"openapi"' }).innerText();
    return JSON.parse(text) as { readonly servers: unknown; readonly paths: object };
  };
  const show = (tag: string) => page.evaluate(`location.hash = '#tag/${tag}'`);
  const operation = (id: string): Locator => page.locator(`section[id$="/${id}"]`);
  const button = (id: string): Locator => operation(id).getByRole('button', { name: 'Test Request' });
  const dialog = (): Locator => page.getByRole('dialog', { name: 'API Client' });
  const tryOut = async (id: string) => {
    await button(id).click();
    await dialog().getByRole('button', { name: 'Send' }).first().waitFor();
  };
  const enterKey = () => dialog().getByRole('textbox', { name: 'Bearer Token' }).fill(service.token);
  const send = async (status: string) => {
    const response = page.waitForResponse(/\/v1\/pets/);
    await dialog().getByRole('button', { name: 'Send' }).first().click();
    await response;
    await dialog().getByText(status).first().waitFor();
  };
  const search = async (text: string) => {
    const menu = page.getByRole('button', { name: 'Open Menu' });
    if (await menu.isVisible()) await menu.click();
    await page.getByRole('button', { name: 'Open Search' }).click();
    await page.getByRole('combobox').last().fill(text);
    await page.getByRole('option').first().waitFor();
  };
  /** Whether elements show the API key, other than those that mask it. */
  const showsKey = () =>
    page.evaluate<boolean>(`(() => {
      const copy = document.documentElement.cloneNode(true);
      for (const masked of copy.querySelectorAll('.scalar-password-input, .credential')) masked.remove();
      return copy.outerHTML.includes(${JSON.stringify(service.token)});
    })()`);

  describe('once it is loaded', () => {
    before(() => open());

    it('has a skip link, and links to the contract', async () => {
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.textContent')).to.equal('Skip to the reference');
      await page.keyboard.press('Enter');
      expect(await page.evaluate('document.activeElement.id')).to.equal('content');
      for (const name of ['openapi.yaml', 'openapi.json']) {
        const href = await page.getByRole('link', { name, exact: true }).getAttribute('href');
        expect(href).to.match(new RegExp(`(^|/)${name}$`));
      }
    });

    for (const [size, colorScheme, background] of [
      [wide, 'light', 'rgb(255, 255, 255)'],
      [narrow, 'dark', 'rgb(15, 15, 15)'],
    ] as const)
      it(`meets WCAG level AA, fits, and has no errors or requests to other hosts: ${colorScheme}`, async () => {
        const check = async (state: string, part = 'html') => {
          expect(await violationsIn(page, part), state).to.deep.equal([]);
          expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth'), state).to.equal(0);
        };
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize(size);
        while ((await page.evaluate('getComputedStyle(document.body).backgroundColor')) !== background);
        await check('overview');
        await show('error-codes');
        await page.getByText('invalid_cursor').last().waitFor();
        await check('error codes');
        await show('animals/createPet');
        await button('createPet').waitFor();
        await check('operation');
        await tryOut('createPet');
        await enterKey();
        await send('201 Created');
        await check('try-out', '[role=dialog][aria-label="API Client"]');
        await page.keyboard.press('Escape');
        await search('cursor');
        await check('search', '[role=dialog]:has([role=combobox])');
        await page.keyboard.press('Escape');
        expect(complaints).to.deep.equal([]);
        expect([...hosts]).to.deep.equal([new URL(service.baseUrl).host]);
      });

    it('finds operations and error codes', async () => {
      await page.setViewportSize(wide);
      await search('create');
      await page.getByRole('option', { name: /Operation: Create a pet/ }).click();
      await button('createPet').waitFor();
      await operation('createPet').getByRole('link', { name: 'Error codes' }).click();
      await page.getByRole('row', { name: /^invalid_cursor 400 / }).waitFor();
      expect(new URL(page.url()).hash).to.equal('#tag/error-codes');
    });

    it('shows the error codes of an operation below its responses, and that of a reserved one first', async () => {
      await show('animals/listOrders');
      const text = (await operation('listOrders').innerText()).replace(/\s+/g, ' ');
      expect(text).to.match(
        /^Experimental List orders.*Reserved for orders.* Stability: experimental\. .*Responses .*Error codes: /,
      );
      await operation('listOrders').getByText('"not_implemented"').waitFor();
      await show('animals/getPet');
      await button('getPet').waitFor();
      expect(await operation('getPet').innerText())
        .to.match(/^Deprecated\s/)
        .and.not.contain('Stability');
    });

    it('shows every status of an operation, also in a narrow window', async () => {
      await page.setViewportSize(narrow);
      await show('animals/createPet');
      await button('createPet').waitFor();
      const tabs = operation('createPet').getByRole('tab', { name: 'Status:' });
      expect(await tabs.count()).to.equal(11);
      const copy = await operation('createPet').getByRole('button', { name: 'Copy example value' }).boundingBox();
      for (const tab of await tabs.all()) {
        const { x = 0, width = 0 } = (await tab.boundingBox()) ?? {};
        expect(x + width, await tab.innerText()).to.be.within(1, copy?.x ?? 0);
      }
    });

    it('shows samples for this server only, and no other client libraries', async () => {
      const text = await page.locator('#content').innerText();
      expect(text).to.contain(`'${new URL('/v1/pets', service.baseUrl).href}?status=available'`);
      expect(text).to.not.contain('petstore.example').and.not.contain('Client Libraries');
    });
  });

  describe('loaded by a deep link below the path prefix of a proxy', () => {
    before(async () => {
      await page.route('**/shop/**', async (route) => {
        const url = route.request().url().replace('/shop/', '/');
        await route.fulfill({ response: await route.fetch({ url }) });
      });
      await open('/shop/docs#tag/animals/createPet');
    });
    // A route prevents the browser from caching.
    after(() => page.unrouteAll());

    it('sends and shows 64-bit integers exactly, and neither shows nor stores the API key', async () => {
      // A deep link scrolls to its operation.
      await page.waitForFunction(isInWindow, await operation('createPet').getByRole('heading').first().elementHandle());
      const sample = operation('createPet').locator('pre').filter({ hasText: 'curl' });
      const text = await sample.innerText();
      expect(text).to.contain(new URL('/shop/v1/pets', service.baseUrl).href);
      // A fixed key would make the second copy a repetition of the first, or a 422.
      expect(text).to.not.contain('Idempotency-Key');
      await tryOut('createPet');
      await dialog().locator('.cm-content').first().fill(exact);
      const sent = page.waitForRequest((request) => request.method() === 'POST');
      await enterKey();
      await send('201 Created');
      expect((await sent).postData()).to.equal(exact);
      expect((await sent).headers()).to.not.have.property('idempotency-key');
      expect(await dialog().innerText()).to.contain('"categoryId": 9223372036854775807');
      await dialog().getByRole('button', { name: 'Request Headers' }).click();
      await dialog().getByText('Bearer ••••').waitFor();
      expect(await showsKey()).to.equal(false);
      // The form of the request would round integers.
      for (const form of await dialog().getByText('Form', { exact: true }).all())
        expect(await form.isVisible()).to.equal(false);
      expect(await page.evaluate('({ ...localStorage, ...sessionStorage })')).to.deep.equal({});
    });

    it('shows ranges, defaults and allowed values, and sends requests below the path prefix of a proxy', async () => {
      await page.keyboard.press('Escape');
      await show('animals/listPets');
      await button('listPets').waitFor();
      const text = (await operation('listPets').innerText()).replace(/\s+/g, ' ');
      expect(text).to.match(
        /limit Type: integer min: 1 max: 100 Default .*default 20.*"available" or "pending" or "sold"/,
      );
      await tryOut('listPets');
      await enterKey();
      const sent = page.waitForRequest(/\/v1\/pets/);
      await send('200 OK');
      expect((await sent).url()).to.equal(new URL('/shop/v1/pets', service.baseUrl).href);
      expect(await showsKey()).to.equal(false);
    });
  });

  it('shows another contract', async () => {
    const json = parse(readFileSync(anotherContract, 'utf8')) as object;
    await page.route('**/docs/openapi.json', (route) => route.fulfill({ json }), { times: 1 });
    await open('/docs#tag/books/searchBooks');
    await button('searchBooks').waitFor();
    expect(complaints).to.deep.equal([]);
  });

  describe('before the viewer starts', () => {
    before(() =>
      page.route('**/viewer.js', (route) => route.fulfill({ body: stubOfViewer, contentType: 'text/javascript' })),
    );
    after(() => page.unrouteAll());

    for (const [prefix, servers] of [
      ['', undefined],
      ['/v2', [{ url: 'https://api.pets.example/v2' }]],
      ['/v2', [{ url: 'v2' }]],
      ['/v2', [{ url: '/{version}', variables: { version: { default: 'v2' } } }]],
    ] as const)
      it(`passes the URL of this server for the servers ${JSON.stringify(servers ?? [])}`, async () => {
        await page.route('**/docs/openapi.json', async (route) => {
          const contract = (await (await route.fetch()).json()) as object;
          await route.fulfill({ json: { ...contract, servers } });
        });
        const { servers: shown } = await contractAt(service.baseUrl);
        const url = new URL(`${prefix}/`, service.baseUrl).href.replace(/\/$/, '');
        expect(shown).to.deep.equal([{ url, variables: {} }]);
        await page.unroute('**/docs/openapi.json');
      });

    it('passes the contract of the mock server', async () => {
      const { stdout } = await startCommand(['mock', '--json']);
      const { baseUrl } = JSON.parse(stdout.text) as { readonly baseUrl: string };
      const { servers, paths } = await contractAt(baseUrl);
      expect(servers).to.have.nested.property('[0].url', baseUrl);
      expect(paths).to.have.all.keys(Object.keys(document.paths));
      expect(complaints).to.deep.equal([]);
    });

    it('shows an error if the contract cannot be loaded', async () => {
      await page.route('**/docs/openapi.json', (route) => route.abort(), { times: 1 });
      await page.goto(new URL('/docs', service.baseUrl).href);
      await page.getByText('The reference could not be loaded.').waitFor();
    });
  });
});
