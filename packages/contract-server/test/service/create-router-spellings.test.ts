import { createServer } from 'node:http';
import type { ContractTypes } from '@contract-server/core/types/types.js';
import { RawConnection } from '@contract-server/test-support/clients/raw-connection.js';
import { place } from '@contract-server/test-support/contract/contract-errors.js';
import { listen } from '@contract-server/test-support/servers/listen.js';
import { expect } from 'chai';
import express, { type RequestHandler, Router } from 'express';
import express4 from 'express4';
import supertest from 'supertest';
import { createRouter, validatedOf } from '#src/index.js';

const responses = 'responses: { "200": { description: Found } }';
const isbn = '{ in: path, name: isbn, required: true, schema: { type: string, pattern: "^[0-9]+$" } }';
const name = '{ in: path, name: name, required: true, schema: { type: string } }';
const contractBelow = (prefix: string) => `
openapi: 3.0.4
info: { title: Books, version: 1.0.0 }
servers: [{ url: "${prefix || '/'}" }]
paths:
  /books: { get: { operationId: listBooks, security: [{ key: [] }], ${responses} } }
  /books/{isbn}: { get: { operationId: getBook, security: [{ key: [] }], parameters: [${isbn}], ${responses} } }
  /reports/{name}: { get: { operationId: getReport, parameters: [${name}], ${responses} } }
  /reports/internal: { get: { operationId: getInternal, security: [{ key: [] }], ${responses} } }
  /files:
    servers: [{ url: /static }]
    get: { operationId: getFile, security: [{ key: [] }], ${responses} }
components: { securitySchemes: { key: { type: apiKey, in: header, name: X-Key } } }
`;

/** The routes of an application, below a path, each of which sends the operation that it was validated for. */
type Routes = (base: string) => express.Express;
const validated = validatedOf<ContractTypes>() as unknown as (request: object, id: string) => object;
const reach =
  (id: string): RequestHandler =>
  (request, response) => {
    validated(request, id);
    response.send(id);
  };
const addRoutes = <App extends Pick<Router, 'get'>>(app: App, base: string): App => {
  app.get(`${base}/books`, reach('listBooks'));
  app.get(`${base}/books/:isbn`, reach('getBook'));
  app.get(`${base}/reports/internal`, reach('getInternal'));
  app.get(`${base}/reports/:name`, reach('getReport'));
  return app;
};
const mounted = (options: express.RouterOptions) => {
  const books = Router(options).get('/', reach('listBooks')).get('/:isbn', reach('getBook'));
  const reports = Router(options).get('/internal', reach('getInternal')).get('/:name', reach('getReport'));
  return [books, reports] as const;
};

const applications: Readonly<Record<string, Routes>> = {
  'the default settings': (base) => addRoutes(express(), base),
  'strict routing': (base) => addRoutes(express().enable('strict routing'), base),
  'case sensitive routing': (base) => addRoutes(express().enable('case sensitive routing'), base),
  'strict settings, and a router with others': (base) =>
    express().enable('strict routing').enable('case sensitive routing').use(addRoutes(Router(), base)),
  'routers at mount paths': (base) => {
    const [books, reports] = mounted({});
    return express().use(`${base}/books`, books).use(`${base}/reports/`, reports);
  },
  'strict routers at mount paths with a slash': (base) => {
    const [books, reports] = mounted({ strict: true });
    const outer = Router({ strict: true }).use(`${base}/books/`, books).use(`${base}/reports/`, reports);
    return express().use(outer);
  },
  'Express 4': (base) => addRoutes(express4() as unknown as express.Express, base),
  'Express 4, with routers at mount paths': (base) => {
    const books = express4
      .Router()
      .get('/', reach('listBooks') as never)
      .get('/:isbn', reach('getBook') as never);
    return express4().use(`${base}/books`, books);
  },
};

/** Paths that the routes of an application can match, and the operation that the contract protects. */
const spellings = (base: string, files: string) =>
  ['/books', '/books/123', '/books/abc', '/reports/internal']
    .map((path) => `${base}${path}`)
    .concat(files)
    .flatMap((path) => {
      const upper = path.toUpperCase();
      const slashes = [`/${path.slice(1).replace(/\//g, '//')}`, path.replace(/\//g, '//'), upper.replace('S/', 's//')];
      return [path, upper, path.replace(/[oev]/, (letter) => letter.toUpperCase()), ...slashes];
    })
    .flatMap((path) => [path, `${path}/`, `${path}//`])
    .flatMap((path) => [path, `http://a${path}`]);

const setups = [
  { title: 'without a prefix', prefix: '', mount: '' },
  { title: 'with a prefix', prefix: '/v1', mount: '' },
  { title: 'below a mount path', prefix: '/v1', mount: '/shop' },
] as const;

describe('a request in any spelling that routes of an application match', () => {
  const protectedHandlers = { listBooks: 'next', getBook: 'next', getInternal: 'next', getFile: 'next' };
  const everyHandler = { ...protectedHandlers, getReport: 'next' };
  for (const { title, prefix, mount } of setups)
    for (const [settings, routes] of Object.entries(applications))
      for (const [which, unhandled, handlers] of [
        ['every operation', undefined, everyHandler],
        ['some operations', 'next', protectedHandlers],
      ] as const)
        it(`reaches no protected route without credentials: ${settings}, ${title}, ${which}`, async () => {
          const { url } = place({ 'contract.yaml': contractBelow(prefix) });
          const security = { key: (key: string) => (key === 'right' ? { id: 'x' } : undefined) };
          const router = await createRouter<ContractTypes>()({
            ...{ contract: url, security, handlers: handlers as object },
            ...(unhandled === 'next' && { unhandled }),
          });
          const [base, files] = [mount || prefix, `${mount}/static/files`];
          const app = express();
          if (mount === '') app.use(router);
          else app.use(mount, router);
          app.use(routes(base)).get(files, reach('getFile'));
          const server = createServer(app);
          await listen(server);
          const connection = await RawConnection.open({ server });
          const send = (target: string, header = '') => {
            connection.send(`GET ${target} HTTP/1.1\r\nHost: a\r\n${header}\r\n`);
            return connection.readResponse();
          };
          for (const target of spellings(base, files)) {
            const { status, text } = await send(target);
            expect([401, 404], `${target}: ${text}`).to.include(status);
          }
          for (const path of [`${base}/books/123`, files])
            expect((await send(path, 'X-Key: right\r\n')).status, path).to.equal(200);
        });
});

/** Contracts with `paths`, requests without credentials, and the route of the application that they must not reach. */
const overlaps: readonly (readonly [
  title: string,
  paths: string,
  protectedIds: readonly string[],
  openIds: readonly string[],
  route: readonly ['get' | 'delete', string],
  requests: readonly string[],
  mount?: string,
])[] = [
  [
    'whose path another template matches, with other methods',
    `/users/me: { get: { operationId: open, ${responses} } }
  /users/{name}: { delete: { operationId: locked, security: [{ key: [] }], parameters: [${name}], ${responses} } }`,
    ['locked'],
    ['open'],
    ['delete', '/v1/users/:name'],
    ['DELETE /v1/users/me', 'DELETE /v1/users/me/', 'DELETE /v1/Users/me', 'DELETE /V1/users/x'],
  ],
  [
    'whose path is also below the prefix of another operation',
    `/admin/users: { get: { operationId: locked, security: [{ key: [] }], ${responses} } }
  /users: { servers: [{ url: /v1/admin }], post: { operationId: open, ${responses} } }`,
    ['locked'],
    ['open'],
    ['get', '/v1/admin/users'],
    ['GET /v1/admin/users', 'GET /V1/admin/users', 'GET /v1/admin/users/'],
  ],
  [
    'with another prefix than the mount path replaces',
    `/{name}/{isbn}: { get: { operationId: open, parameters: [${name}, ${isbn.replace(', pattern: "^[0-9]+$"', '')}], ${responses} } }
  /files: { servers: [{ url: /static }], get: { operationId: locked, security: [{ key: [] }], ${responses} } }`,
    ['locked'],
    ['open'],
    ['get', '/shop/static/files'],
    ['GET /shop/static/files', 'GET /shop/Static/files', 'GET /shop/static/files/', 'HEAD /shop/static/files'],
    '/shop',
  ],
  [
    'whose route also serves HEAD, which is an operation of its own',
    `/books:
    get: { operationId: locked, security: [{ key: [] }], ${responses} }
    head: { operationId: open, ${responses} }`,
    ['locked'],
    [],
    ['get', '/v1/books'],
    ['HEAD /v1/books', 'HEAD /v1/Books', 'HEAD /v1/books/', 'GET /v1/books'],
  ],
];

describe('a request for an operation', () => {
  for (const [title, paths, protectedIds, openIds, [method, route], requests, mount = ''] of overlaps)
    for (const unhandled of [undefined, 'next'] as const)
      it(`${title}, reaches no route without credentials: ${unhandled ?? 'every operation'}`, async () => {
        const contract = contractBelow('/v1').replace(
          /\npaths:[^]*\ncomponents/,
          () => `\npaths:\n  ${paths}\ncomponents`,
        );
        const { url } = place({ 'contract.yaml': contract });
        // Without `unhandled`, every operation has a handler.
        const ids =
          unhandled === undefined ? [...protectedIds, ...(openIds.length > 0 ? openIds : ['open'])] : protectedIds;
        const served = ids.map((id) => [id, id === 'open' && openIds.length === 0 ? found : 'next']);
        const router = await createRouter<ContractTypes>()({
          ...{ contract: url, security: { key: () => undefined }, handlers: Object.fromEntries(served) as object },
          ...(unhandled === 'next' && { unhandled }),
        });
        const app = express().use(mount || '/', router);
        let isReached = false;
        app[method](route, (_request, response) => {
          isReached = true;
          response.end();
        });
        const server = createServer(app);
        await listen(server);
        const connection = await RawConnection.open({ server });
        for (const line of requests) {
          connection.send(`${line} HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n`);
          await connection.readResponse(line.startsWith('HEAD'));
          expect(isReached, line).to.equal(false);
        }
      });
});

const found = () => Promise.resolve({ status: 200 });

describe('a router that ignores trailing slashes and case', () => {
  it('redirects to the spelling of the contract, with the method, the query and the body, below any mount path', async () => {
    const { url } = place({ 'contract.yaml': contractBelow('/v1') });
    const ids = ['listBooks', 'getBook', 'getReport', 'getInternal', 'getFile'];
    const router = await createRouter<ContractTypes>()({
      ...{ contract: url, security: { key: () => ({ id: 'x' }) }, trailingSlashes: 'ignore', caseSensitive: false },
      handlers: Object.fromEntries(ids.map((id) => [id, found])) as object,
    });
    const app = express().use('/shop', router).use(router);
    for (const [path, location, served] of [
      ['/v1/Books/', '../../v1/books', '/v1/books'],
      ['/V1/BOOKS/1', '../../v1/books/1', '/v1/books/1'],
      ['/shop/Reports/A?x=1', '../reports/A?x=1', '/shop/reports/A?x=1'],
      ['/SHOP/Books', './books', '/SHOP/books'],
      ['/shop/STATIC/Files/', '../../static/files', '/shop/static/files'],
    ] as const) {
      const { headers } = await supertest(app).get(path).expect(308).expect('Location', location);
      expect(headers).to.include({ 'cache-control': 'no-store', 'content-length': '0' });
      expect(new URL(location, `http://shop.example${path}`).href).to.equal(`http://shop.example${served}`);
    }
    await supertest(app).get('/shop/STATIC/Files/').set('X-Key', 'a').redirects(1).expect(200);
    await supertest(app).post('/V1/Books').send({}).expect(308).expect('Location', '../v1/books');
    await supertest(app).post('/v1/none/').expect(404);
  });
});
