import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { closeLater } from '@contract-server/test-support/closing.js';
import { startChromium } from '@contract-server/test-support/machine/chromium.js';
import { listen } from '@contract-server/test-support/servers/listen.js';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { describeWithChromium } from '../support/chromium.js';
import { startService, type TestService } from '../support/servers/service.js';

const root = new URL('../../../', import.meta.url);
const imports = {
  '@contract-server/client': '/packages/client/dist/index.js',
  'openapi-fetch': '/node_modules/openapi-fetch/dist/index.mjs',
};
const html = `<link rel="icon" href="data:,"><script type="importmap">${JSON.stringify({ imports })}</script>`;

describeWithChromium('the client in a page of another origin', function () {
  this.timeout(60_000);
  let service: TestService;
  let page: Page;
  before(async () => {
    // An empty page, and the files of the project.
    const shop = createServer(({ url = '' }, response) => {
      response.setHeader('Content-Type', url === '/' ? 'text/html' : 'text/javascript');
      response.end(url === '/' ? html : readFileSync(new URL(url.slice(1), root)));
    });
    const origin = `http://127.0.0.1:${String(await listen(shop))}`;
    service = await startService({ CORS_ORIGINS: origin });
    const browser = await startChromium();
    closeLater(() => browser.close());
    page = await browser.newPage();
    await page.goto(origin);
  });

  /** Runs a script of the page, with a client of the service. */
  const run = (script: string) =>
    page.evaluate(`(async () => {
      const { createPetstoreClient } = await import('/dist/client/petstore-client.js');
      const client = createPetstoreClient(${JSON.stringify({ baseUrl: service.baseUrl, apiKey: service.token })});
      ${script}
    })()`);

  it('creates and lists pets, with exact integers and the User-Agent of the browser', async () => {
    const agents: (string | undefined)[] = [];
    page.on('request', (request) => agents.push(request.headers()['user-agent']));
    const result = await run(`
      const names = [];
      for (const name of ['Rex', 'Mia', 'Tom']) await client.createPet({ name, categoryId: 2n ** 63n - 1n });
      for await (const pet of client.pets({ limit: 1 })) names.push(pet.name + ' ' + pet.categoryId);
      return names;`);
    expect(result).to.deep.equal(['Rex', 'Mia', 'Tom'].map((name) => `${name} 9223372036854775807`));
    expect(agents.every((agent) => agent?.startsWith('Mozilla/'))).to.equal(true);
  });

  it('reads the headers of responses, reports errors, and can be aborted', async () => {
    const result = await run(`
      const { response, requestId } = await client.listPets().withResponse();
      const error = await client.listPets({ limit: 101 }).catch((thrown) => thrown);
      const aborted = await client.listPets({}, { signal: AbortSignal.abort() }).catch((thrown) => thrown.code);
      return [response.headers.get('X-RateLimit-Limit'), typeof requestId, error.code, error.status, aborted];`);
    expect(result).to.deep.equal(['1000000', 'string', 'invalid_request', 400, 'aborted']);
  });
});
