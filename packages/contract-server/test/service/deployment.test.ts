import { gzipSync } from 'node:zlib';
import type { ContractTypes } from '@contract-server/core/types/types.js';
import { sendRaw } from '@contract-server/test-support/clients/raw-connection.js';
import { closeLater } from '@contract-server/test-support/closing.js';
import { place } from '@contract-server/test-support/contract/contract-errors.js';
import { startService } from '@contract-server/testing/start-service.js';
import { expect } from 'chai';
import express, { type RequestHandler } from 'express';
import supertest from 'supertest';
import { parse } from 'yaml';
import { createRouter, createService } from '#src/index.js';
import { apiReference } from '#src/reference.js';
import type { ApiBehaviour } from '#src/router/api-behaviour.js';

const { url: contract } = place({
  'contract.yaml': `
openapi: 3.0.4
info: { title: Boxes, version: 1.0.0 }
servers: [{ url: https://boxes.example/v7 }]
x-rate-limit-plans: { free: { requestsPerMinute: 100, requestsPerDay: 100 } }
paths:
  /Boxes:
    get:
      operationId: listBoxes
      parameters:
        - { name: size, in: query, schema: { type: integer } }
        - { name: filter, in: query, style: deepObject, schema: { type: object, additionalProperties: { type: string } } }
      responses: &responses { default: { description: Any., content: { application/json: { schema: {} } } } }
    put:
      operationId: putBoxes
      requestBody:
        content:
          application/json: { schema: { type: array, items: { type: integer } } }
          multipart/form-data: { schema: { type: object, properties: { a: { type: string, format: binary } } } }
          image/png: {}
      responses: *responses
    post:
      operationId: addBox
      requestBody: { x-max-body-bytes: 50, x-max-body-values: 5, content: { application/json: {} } }
      responses: *responses
  /Boxes/{Id}.json:
    get: { operationId: getBox, responses: *responses }
  /files:
    servers: [{ url: /static }]
    get: { operationId: getFile, responses: *responses }
`,
});

type Request = Readonly<Record<'path' | 'query', object> & { body: unknown }>;
const echo = ({ path, query, body }: Request) => {
  const file = (body as { size?: number } | undefined)?.size;
  return Promise.resolve({ status: 200, body: { path, query, ...(body !== undefined && { body: file ?? body }) } });
};
const handlers = { listBoxes: echo, putBoxes: echo, addBox: echo, getBox: echo, getFile: echo } as object;

const routerWith = (options: ApiBehaviour) => createRouter<ContractTypes>()({ contract, handlers, ...options });
const appWith = async (options: ApiBehaviour) => express().use(await routerWith(options));

/** A service, as an agent that does not check responses. */
async function serviceWith(options: ApiBehaviour, middleware: RequestHandler[] = []) {
  const definition = { name: 'boxes', contract, reference: apiReference(), ...options };
  const service = createService<ContractTypes>()({ ...definition, create: () => ({ handlers, middleware }) });
  const { server, close } = await startService(service);
  closeLater(close);
  return server;
}

describe('the options of a deployment', () => {
  it('replace the path prefix of the contract, also in its published document', async () => {
    for (const [prefix, found, missing] of [
      ['/api/v2', '/api/v2/Boxes', '/v7/Boxes'],
      ['', '/Boxes', '/v7/Boxes'],
    ] as const) {
      const server = await serviceWith({ prefix });
      for (const target of [await appWith({ prefix }), server]) {
        await supertest(target).get(found).expect(200);
        await supertest(target).get('/static/files').expect(200);
        await supertest(target).get(missing).expect(404);
      }
      for (const path of ['/openapi.yaml', '/openapi.json']) {
        const response = await supertest(server).get(path).expect(200);
        const { servers } = parse(response.text || String(response.body)) as { servers: object[] };
        expect(servers).to.deep.equal([{ url: prefix || '/' }]);
      }
    }
  });

  it('limit bodies that the contract does not limit', async () => {
    const limits = { bodyBytes: 100, bodyValues: 10 };
    for (const target of [await appWith({ limits }), await serviceWith({ limits })]) {
      const send = (method: 'put' | 'post', items: readonly number[]) =>
        supertest(target)
          [method]('/v7/Boxes')
          .send([...items]);
      await send('put', [1, 2, 3, 4, 5, 6, 7, 8, 9]).expect(200);
      await send('put', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]).expect(413);
      const spaces = ' '.repeat(100);
      await supertest(target).put('/v7/Boxes').type('json').send(`[1${spaces}]`).expect(413);
      await send('post', [1, 2, 3, 4]).expect(200);
      await send('post', [1, 2, 3, 4, 5]).expect(413);
    }
    const large = await appWith({ limits: { bodyBytes: 1e6, bodyValues: 1e5 } });
    await supertest(large).put('/v7/Boxes').send(new Array(50_000).fill(7)).expect(200);
  });

  it('ignore unknown query parameters, which handlers do not receive', async () => {
    const strict = await appWith({});
    await supertest(strict).get('/v7/Boxes?size=1&utm_source=mail').expect(400);
    const app = await appWith({ unknownQueryParameters: 'ignore' });
    for (const [query, expected] of [
      ['size=1&utm_source=mail&utm_source=x', { size: 1 }],
      ['filter[a]=b&other[a]=c&__proto__=d', { filter: { a: 'b' } }],
      ['a=1', {}],
    ] as const) {
      const response = await supertest(app).get(`/v7/Boxes?${query}`).expect(200);
      expect(response.body).to.have.property('query').that.deep.equals(expected);
    }
    await supertest(app).get('/v7/Boxes?size=x&a=1').expect(400);
    await supertest(app).get('/v7/Boxes?a=%zz').expect(400);
  });

  it('choose the family of rate-limit headers, also in responses to malformed requests', async () => {
    const legacy = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];
    const draft = ['ratelimit-policy', 'ratelimit'];
    for (const [rateLimitHeaders, names] of [
      ['both', [...legacy, ...draft]],
      ['x-ratelimit', legacy],
      ['draft', draft],
      [undefined, [...legacy, ...draft]],
    ] as const) {
      const server = await serviceWith({ rateLimitHeaders });
      for (const target of [await appWith({ rateLimitHeaders }), server]) {
        for (const path of ['/v7/Boxes', '/v7/none']) {
          const { headers } = await supertest(target).get(path);
          expect(Object.keys(headers).filter((name) => name.includes('ratelimit'))).to.have.members(names);
        }
      }
      const raw = await sendRaw({ server }, 'GET / HTTP/1.1\r\nHost: a\r\nbad header\r\n\r\n');
      expect(Object.keys(raw.headers).filter((name) => name.includes('ratelimit'))).to.have.members(names);
    }
  });

  it('ignore trailing slashes and case, but not in parameters', async () => {
    const cases = [
      [{}, '/v7/Boxes', 200],
      [{}, '/v7/Boxes/', 404],
      [{}, '/v7/boxes', 404],
      [{ trailingSlashes: 'ignore' }, '/v7/Boxes/', 200],
      [{ trailingSlashes: 'ignore' }, '/v7/Boxes//', 404],
      [{ trailingSlashes: 'ignore' }, '/v7/boxes/', 404],
      [{ trailingSlashes: 'ignore' }, '/v7/Boxes/aB.json/', 200],
      [{ caseSensitive: false }, '/V7/bOXES', 200],
      [{ caseSensitive: false }, '/v7/boxes/', 404],
      [{ caseSensitive: false }, '/v7/boxes/aB.JSON', 200],
      [{ caseSensitive: false }, '/STATIC/Files', 200],
      [{ caseSensitive: false }, '/v7/boxes/aB.xml', 404],
      [{ caseSensitive: false, trailingSlashes: 'ignore' }, '/v7/boxes/?size=1', 200],
    ] as const;
    for (const [options, path, status] of cases) {
      for (const target of [await appWith(options), await serviceWith(options)]) {
        const response = await supertest(target).get(path).redirects(1).expect(status);
        const body: unknown = response.body;
        if (status === 200 && path.includes('aB')) expect(body).to.have.deep.property('path', { Id: 'aB' });
        if (status === 200 && path.includes('?')) expect(body).to.have.deep.property('query', { size: 1 });
      }
    }
  });

  it('let no other spelling of a path pass a guard of the application', async () => {
    const options = { caseSensitive: false, trailingSlashes: 'ignore' } as const;
    const spellings = ['/v7/Boxes', '/v7/boxes', '/V7/BOXES/', '/v7/Boxes/'];
    const guarded = express().use('/v7/Boxes', (_request, response) => void response.sendStatus(403));
    guarded.use(await routerWith(options));
    for (const path of spellings) await supertest(guarded).get(path).expect(403);
    const strict = express.Router({ caseSensitive: true, strict: true });
    strict.get('/v7/Boxes', (_request, response) => void response.sendStatus(403));
    const app = express().use(strict, await routerWith(options));
    for (const path of spellings) await supertest(app).get(path).redirects(1).expect(403);
    const service = await serviceWith(options, [
      (request, response, next) => {
        if (request.path === '/v7/Boxes' && request.url.startsWith(request.path)) response.sendStatus(403);
        else next();
      },
    ]);
    for (const path of spellings) await supertest(service).get(path).expect(403);
  });

  it('decompress bodies in gzip, within their limits', async () => {
    const png = Buffer.alloc(70_000, 1);
    const form = '--x\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\nabc\r\n--x--\r\n';
    const json = 'application/json';
    const zeros = `[${'0,'.repeat(500)}0]`;
    const cases = [
      ['put', json, gzipSync('[1,2]'), 'gzip', 200],
      ['put', json, gzipSync('[1,2]'), 'X-GZIP', 200],
      ['put', json, Buffer.from('[1,2]'), 'identity', 200],
      ['put', json, Buffer.concat([gzipSync('[1,'), gzipSync('2]')]), 'gzip', 200],
      ['put', json, Buffer.concat([gzipSync('[1,2]'), Buffer.alloc(5)]), 'gzip', 200],
      ['put', json, Buffer.concat([gzipSync('[1,2]'), Buffer.from('behind')]), 'gzip', 400],
      ['put', 'image/png', gzipSync(png), 'gzip', 200],
      ['put', 'multipart/form-data; boundary=x', gzipSync(form), 'gzip', 200],
      ['put', json, gzipSync('["a"]'), 'gzip', 400],
      ['put', json, Buffer.from('[1,2]'), 'gzip', 400],
      ['put', json, gzipSync('[1,2]').subarray(0, 12), 'gzip', 400],
      ['put', 'image/png', gzipSync(png).subarray(0, 12), 'gzip', 400],
      ['put', 'multipart/form-data; boundary=x', gzipSync(form).subarray(0, 30), 'gzip', 400],
      ['put', json, gzipSync(`[${'0,'.repeat(1e6)}0]`), 'gzip', 413],
      ['put', 'image/png', gzipSync(Buffer.alloc(5e6)), 'gzip', 413],
      ['post', json, gzipSync(zeros), 'gzip', 413],
      ['put', json, gzipSync('[1,2]'), 'deflate', 415],
      ['put', json, gzipSync('[1,2]'), 'gzip, gzip', 415],
    ] as const;
    for (const target of [await appWith({ gzipBodies: true }), await serviceWith({ gzipBodies: true })])
      for (const [method, type, bytes, coding, status] of cases) {
        const sent = supertest(target)[method]('/v7/Boxes').set('Content-Type', type).set('Content-Encoding', coding);
        const response = await sent.serialize((body: unknown) => body as string).send(bytes as unknown as string);
        expect(response.status, `${type} ${coding}: ${response.text}`).to.equal(status);
        if (status === 415) expect(response.headers).to.include({ 'accept-encoding': 'gzip, identity' });
        if (status === 200 && type === 'image/png') expect(response.body).to.include({ body: 70_000 });
        if (status === 200 && type === json) expect(response.body).to.have.deep.property('body', [1, 2]);
      }
    const app = await appWith({});
    const refused = supertest(app).put('/v7/Boxes').set('Content-Type', json).set('Content-Encoding', 'gzip');
    await refused.send('[]').expect(415).expect('Accept-Encoding', 'identity');
  });

  it('limit compressed bytes that decompress to nothing', async () => {
    const empty = Buffer.concat(new Array<Buffer>(10).fill(gzipSync('')));
    const server = await serviceWith({ gzipBodies: true });
    const head = 'POST /v7/Boxes HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n';
    const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n${empty.length.toString(16)}\r\n`;
    const bytes = Buffer.concat([Buffer.from(chunked), empty, Buffer.from('\r\n')]);
    expect(await sendRaw({ server }, bytes)).to.have.property('status', 413);
  });
});
