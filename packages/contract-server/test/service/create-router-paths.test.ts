import { once } from 'node:events';
import { createServer } from 'node:http';
import type { ContractTypes } from '@contract-server/core/types/types.js';
import { RawConnection, sendRaw } from '@contract-server/test-support/clients/raw-connection.js';
import { closeLater } from '@contract-server/test-support/closing.js';
import { place } from '@contract-server/test-support/contract/contract-errors.js';
import { ping, withoutPrefix } from '@contract-server/test-support/contract/ping-contracts.js';
import { listen } from '@contract-server/test-support/servers/listen.js';
import { expect } from 'chai';
import express, { type Express } from 'express';
import supertest from 'supertest';
import { createRouter } from '#src/index.js';

describe('the paths of createRouter', () => {
  let app: Express;
  beforeEach(() => {
    app = express();
  });
  const router = (contract = withoutPrefix) => {
    const { url } = place({ 'contract.yaml': contract });
    return createRouter<ContractTypes>()({ contract: url, handlers: { ping } as object });
  };

  it('are matched as they were sent, like those of Express: no escape passes a guard of the application', async () => {
    app.use('/ping', (_request, response) => void response.status(403).send('guarded'));
    app.use(await router());
    for (const path of ['/ping', '/PING', '/ping/', '/ping?a']) await supertest(app).get(path).expect(403);
    await supertest(app).get('//ping').expect(404).expect('Content-Type', 'application/json');
    for (const path of ['/%70ing', '/pin%67', '/./ping', '/x/../ping', '/ping%2f', '/ping%00'])
      await supertest(app)
        .get(path)
        .expect(404, /<pre>Cannot GET/);
  });

  it('can be those of targets in absolute form, also below a mount path', async () => {
    const withPrefix = withoutPrefix.replace('paths:', 'servers: [{ url: /v1 }]\npaths:');
    app.use('/shop', await router(withPrefix)).use(await router());
    const server = createServer(app).listen(0, '127.0.0.1');
    closeLater(() => server.close().closeAllConnections());
    await once(server, 'listening');
    const head = ['Host: shop.example', 'Connection: close', '', ''].join('\r\n');
    for (const target of ['http://shop.example/ping', 'http://shop.example/shop/ping']) {
      const connection = await RawConnection.open({ server }, `GET ${target} HTTP/1.1\r\n${head}`);
      expect((await connection.readResponse()).status).to.equal(200);
    }
  });

  it('are read from targets in absolute form as by Express, so that none passes a guard of the application', async () => {
    for (const path of ['/a|b', '/a^b', '/a`b', "/it's", '/a<b>', '/ping']) {
      const seen: string[] = [];
      const own = express().use(
        (request, _response, next) => {
          seen.push(request.path);
          next();
        },
        await router(withoutPrefix.replace('/ping:', `"${path}":`)),
      );
      const server = createServer(own);
      await listen(server);
      const encoded = path.replace(/[^a-z/]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
      const served = new Set<string | undefined>();
      for (const target of [path, encoded, `http://a${path}`, `http://a${encoded}`]) {
        const { status } = await sendRaw({ server }, `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`);
        if (status === 200) served.add(seen.at(-1));
      }
      expect(served.size, [...served].join(' ')).to.equal(1);
    }
  });

  it('are none in a contract with webhooks only', async () => {
    const head = 'openapi: 3.1.1\ninfo: { title: Ping, version: "1" }\n';
    const hooks = 'webhooks: { pinged: { post: { responses: { "200": { description: Received } } } } }\n';
    const { url } = place({ 'contract.yaml': head + hooks });
    app.use(await createRouter<ContractTypes>()({ contract: url, handlers: {} as object }));
    await supertest(app)
      .get('/ping')
      .expect(404, /<pre>Cannot GET/);
  });
});
