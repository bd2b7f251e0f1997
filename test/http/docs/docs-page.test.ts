import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { expect } from 'chai';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { operationIdsOf } from '#src/openapi/document.js';
import { startChromium } from '../../../scripts/machine/chromium.js';
import { describeWithChromium } from '../../support/chromium.js';
import { request } from '../../support/clients/request.js';
import { document } from '../../support/contract/contract-requests.js';
import { startService, type TestService } from '../../support/servers/service.js';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const operationIds = operationIdsOf(document);
const widths = { wide: 1440, narrow: 390 };
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

describeWithChromium('/docs in a browser', function () {
  this.timeout(60_000);
  let service: TestService;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  /** Messages of the console, and errors. */
  let complaints: string[];
  /** The hosts of all requests. */
  let hosts: Set<string>;
  before(async () => {
    service = await startService();
    browser = await startChromium();
  });
  after(async () => {
    await browser.close();
    await service.close();
  });
  afterEach(() => context.close());

  const open = async (width: number, path = '/') => {
    context = await browser.newContext({ viewport: { width, height: 900 } });
    complaints = [];
    hosts = new Set();
    await context.route('**/*', (route) => {
      hosts.add(new URL(route.request().url()).host);
      return route.continue();
    });
    page = await context.newPage();
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(new URL(path, service.baseUrl).href);
    await page.waitForSelector('#operations-animals-listOrders');
  };
  const operation = (id: string): Locator => page.locator(`#operations-animals-${id}`);
  const openOperation = async (id: string) => {
    if ((await page.locator('nav details').getAttribute('open')) === null) await page.click('nav summary');
    await page.click(`nav a[href="#operations-animals-${id}"]`);
    await operation(id).locator('.execute').waitFor();
  };
  /** Submits the form of an operation, and returns the shown response. */
  const execute = async (id: string) => {
    // The response to an earlier request would be taken for that to this one.
    const clear = operation(id).locator('.btn-clear');
    if (await clear.isVisible()) await clear.click();
    await operation(id).locator('.execute').click();
    const response = operation(id).locator('.live-responses-table tr.response');
    await response.waitFor();
    return { status: await response.locator('.response-col_status').innerText(), text: await response.innerText() };
  };
  const violations = async () => {
    await page.evaluate(axeSource);
    const results = await page.evaluate<AxeResults>(`axe.run(document, { runOnly: ${JSON.stringify(rules)} })`);
    return results.violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
  };
  /** By how much the page is wider than the window. */
  const overflow = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');

  it('shows an error if the contract cannot be loaded', async () => {
    context = await browser.newContext();
    await context.route('**/openapi.json', (route) => route.abort());
    page = await context.newPage();
    await page.goto(new URL('/docs', service.baseUrl).href);
    await page.getByText('The reference could not be loaded.').waitFor();
  });

  for (const [name, width] of Object.entries(widths)) {
    it(`loads without errors or requests to other hosts, and sends a request, in a ${name} window`, async () => {
      await open(width);
      expect(new URL(page.url()).pathname).to.equal('/docs');
      await page.fill('#api-key', service.token);
      await openOperation('listPets');
      expect(await execute('listPets')).to.include({ status: '200' });
      expect(complaints).to.deep.equal([]);
      expect([...hosts]).to.deep.equal([new URL(service.baseUrl).host]);
      expect(await overflow()).to.equal(0);
    });

    it(`meets WCAG level AA and fits, with every operation open, in a ${name} window`, async () => {
      await open(width);
      expect(await violations()).to.deep.equal([]);
      await page.fill('#api-key', service.token);
      for (const id of operationIds) {
        await openOperation(id);
        expect(await overflow(), id).to.equal(0);
      }
      await execute('createPet');
      await page.locator('section.models button').first().click();
      expect(await overflow()).to.equal(0);
      expect(await violations()).to.deep.equal([]);
    });
  }

  it('shows 64-bit integers exactly', async () => {
    await open(widths.wide);
    await page.fill('#api-key', service.token);
    await openOperation('createPet');
    await operation('createPet').locator('textarea').fill('{"name":"Max","categoryId":9223372036854775807}');
    const { status, text } = await execute('createPet');
    expect(status).to.equal('201');
    expect(text).to.contain('"categoryId": 9223372036854775807');
    const listed = (await request(service).get('/v1/pets?limit=100')).body as readonly { readonly name: string }[];
    expect(listed.filter(({ name }) => name === 'Max')).to.have.lengthOf(1);
  });

  it('sends the entered key only, and does not store it', async () => {
    await open(widths.wide);
    await openOperation('listPets');
    expect((await execute('listPets')).text).to.contain('missing_api_key');
    await page.fill('#api-key', service.token);
    expect(await execute('listPets')).to.include({ status: '200' });
    await page.fill('#api-key', '');
    expect((await execute('listPets')).text).to.contain('missing_api_key');
    await page.fill('#api-key', service.token);
    await page.reload();
    expect(await page.inputValue('#api-key')).to.equal('');
    expect(await page.evaluate('({ ...localStorage, ...sessionStorage })')).to.deep.equal({});
  });

  it('works with the keyboard only', async () => {
    await open(widths.wide);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).to.equal('Skip to the reference');
    await page.keyboard.press('Tab');
    await page.keyboard.type(service.token);
    const tabTo = async (selector: string) => {
      for (let presses = 0; presses < 100; presses += 1) {
        if (await page.evaluate<boolean>(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
        await page.keyboard.press('Tab');
      }
      throw new Error(`No ${selector} within 100 steps.`);
    };
    await tabTo('#operations-animals-listPets .opblock-summary-control');
    await page.keyboard.press('Enter');
    await operation('listPets').locator('.execute').waitFor();
    await tabTo('#operations-animals-listPets .execute');
    await page.keyboard.press('Enter');
    const status = operation('listPets').locator('.live-responses-table tr.response .response-col_status');
    await status.waitFor();
    expect(await status.innerText()).to.equal('200');
  });

  it('shows stability, removal dates, plans and error codes', async () => {
    await open(widths.wide);
    await operation('getPet').locator('.badge').last().waitFor();
    expect(await operation('listOrders').locator('.badge').allInnerTexts()).to.deep.equal(['experimental']);
    expect(await operation('getPet').locator('.badge').allInnerTexts()).to.deep.equal([
      'stable',
      'removed on 2030-12-05',
    ]);
    const tables = await page.locator('.info table').allInnerTexts();
    expect(tables.join('\n'))
      .to.match(/business\s+1,000\s+100,000/)
      .and.match(/pet_not_found\s+404\s+No pet[^\t]+\s+List the pets/);
  });

  it('opens the operation of a deep link', async () => {
    await open(widths.narrow, '/docs#operations-animals-getPet');
    await operation('getPet').locator('.execute').waitFor();
    expect((await operation('getPet').locator('.opblock-summary').boundingBox())?.y).to.be.within(0, 450);
  });
});
