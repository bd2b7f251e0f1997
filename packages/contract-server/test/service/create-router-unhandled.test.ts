import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { StartError } from '@contract-server/core/lib/errors.js';
import type { ContractTypes } from '@contract-server/core/types/types.js';
import { place } from '@contract-server/test-support/contract/contract-errors.js';
import { limited, ping } from '@contract-server/test-support/contract/ping-contracts.js';
import { errorOf } from '@contract-server/test-support/error-of.js';
import { LogLines } from '@contract-server/test-support/log-lines.js';
import type { Contract } from '@contract-server/test-support/notes/generated/contract.js';
import {
  contract,
  findOwner,
  memoryNotes,
  notesHandlers,
  type Owner,
  signToken,
} from '@contract-server/test-support/notes/notes.js';
import { expect } from 'chai';
import express, { type Express, type RequestHandler } from 'express';
import { pino } from 'pino';
import supertest from 'supertest';
import { type CallersOf, createRouter, type RouterOptions, validatedOf } from '#src/index.js';

const security = { token: (credentials: string) => findOwner(credentials) };
const bearer = { Authorization: `Bearer ${await signToken('ann')}` };
const validated = validatedOf<Contract, CallersOf<typeof security>>();

type Security = Readonly<Record<'token', (credentials: string) => Promise<Owner | undefined>>>;
type Handlers = Partial<RouterOptions<Contract, Security>['handlers']>;

describe('createRouter with unhandled: next', () => {
  let app: Express;
  let log: LogLines;
  beforeEach(() => {
    app = express();
    log = new LogLines();
  });
  const router = (handlers: Handlers) =>
    createRouter<Contract>()({ contract, unhandled: 'next', security, handlers, logger: pino(log) });
  const { listNotes } = notesHandlers(memoryNotes());

  it('passes requests on that no handler serves, unchanged and without a header', async () => {
    app.disable('x-powered-by').use(await router({ listNotes }), express.json());
    const echo: RequestHandler = ({ method, url, body }, response) =>
      void response.json({ method, url, body: body as unknown });
    app.use('/api', echo);
    await supertest(app).get('/api/notes').expect(200, []);
    const sent = { text: '', unknown: true };
    const response = await supertest(app).post('/api/notes?x=1').send(sent).expect(200);
    expect(response.body).to.deep.equal({ method: 'POST', url: '/notes?x=1', body: sent });
    expect(Object.keys(response.headers)).to.have.members([
      'content-type',
      'content-length',
      'etag',
      'date',
      'connection',
    ]);
    for (const path of ['/notes/x', '/lists', '/notes/x/'])
      await supertest(app).get(`/api${path}`).expect(200, { method: 'GET', url: path });
    await supertest(app).put('/api/notes').expect(200, { method: 'PUT', url: '/notes' });
    await supertest(app).options('/api/notes').expect(200, { method: 'OPTIONS', url: '/notes' });
    await supertest(app).head('/api/notes').expect(200).expect('X-Request-Id', /./);
  });

  it('does not count the requests that it passes on', async () => {
    const { url } = place({ 'contract.yaml': limited });
    const options = { contract: url, unhandled: 'next', security: { key: () => ({ id: 'x' }) } } as const;
    app.use('/shop', await createRouter<ContractTypes>()({ ...options, handlers: { ping } as object }));
    app.get('/shop/pong', (_request, response) => void response.send('pong'));
    for (let count = 0; count < 3; count += 1) await supertest(app).get('/shop/pong').expect(200, 'pong');
    await supertest(app).get('/shop/ping').set('X-Key', 'x').expect(200);
    await supertest(app).get('/shop/ping').set('X-Key', 'x').expect(429);
    await supertest(app).get('/shop/pong').expect(200, 'pong');
  });

  it('needs security handlers only for the operations that have a handler', async () => {
    const { url } = place({ 'contract.yaml': limited });
    const options = { contract: url, unhandled: 'next', security: {} } as const;
    app.use(await createRouter<ContractTypes>()({ ...options, handlers: {} }));
    await supertest(app)
      .get('/v1/ping')
      .expect(404, /<pre>Cannot GET/);
    const error = await errorOf(createRouter<ContractTypes>()({ ...options, handlers: { ping } as object }));
    expect(error).to.be.instanceOf(StartError);
    expect(String(error)).to.contain('The security scheme key has no handler');
  });

  it('shares a contract with another router', async () => {
    const createNote: Handlers['createNote'] = ({ body }) =>
      Promise.resolve({ status: 201, body: { id: 1, owner: 'ann', text: body.text } });
    app.use(await router({ listNotes }), await router({ createNote }));
    await supertest(app).get('/api/notes').expect(200);
    await supertest(app).post('/api/notes').set(bearer).send({ text: 'Milk' }).expect(201);
  });
});

describe("a handler 'next' of createRouter", () => {
  let app: Express;
  beforeEach(async () => {
    app = express().disable('x-powered-by');
    const handlers = { ...notesHandlers(memoryNotes()), createNote: 'next', getNote: 'next' } as const;
    app.use(await createRouter<Contract>()({ contract, security, handlers, logger: pino(new LogLines()) }));
  });
  const post = (text: string) => supertest(app).post('/api/notes').set(bearer).send({ text });

  it('passes requests on when they are authenticated and validated, with their values, defaults and caller', async () => {
    app.post('/api/notes', express.json(), (request, response) => {
      const { body, mediaType, context } = validated(request, 'createNote');
      response.json([body.isPublic, mediaType, context.caller.email, context.requestId, request.body as unknown]);
    });
    const response = await post('Milk').set('X-Request-Id', 'mine').expect(200);
    const note = { text: 'Milk', isPublic: false };
    expect(response.body).to.deep.equal([false, 'application/json', 'ann@notes.example', 'mine', note]);
    expect(response.headers).to.include({ 'x-request-id': 'mine', 'x-content-type-options': 'nosniff' });
    await post('').expect(400).expect('Content-Type', 'application/json');
    await supertest(app).post('/api/notes').send({ text: 'Milk' }).expect(401);
  });

  it('has parameters of the declared types, and the headers that announce the removal of the operation', async () => {
    app.get('/api/notes/:id', (request, response) => {
      const { path } = validated(request, 'getNote');
      response.json({ id: typeof path.id, query: request.query });
    });
    const { headers } = await supertest(app).get('/api/notes/7').set(bearer).expect(200, { id: 'number', query: {} });
    expect(headers).to.include({ sunset: 'Tue, 01 Jan 2030 00:00:00 GMT' });
    expect(headers).to.have.property('link').that.includes('rel="successor-version"');
    await supertest(app).get('/api/notes/seven').set(bearer).expect(400);
  });

  it('leaves responses and errors to the application', async () => {
    app.post('/api/notes', () => {
      throw new Error('no notes today');
    });
    app.use(
      ((error: Error, _request, response, _next) =>
        void response.status(418).send(error.message)) as express.ErrorRequestHandler,
    );
    await post('Milk').expect(418, 'no notes today');
    await supertest(app)
      .get('/api/notes/7')
      .set(bearer)
      .expect(404, /Cannot GET/);
  });

  it('is required by `validatedOf`, which names the operation', () => {
    const request = new IncomingMessage(new Socket());
    expect(() => validated(request, 'getNote')).to.throw(
      TypeError,
      "The request was not validated as getNote. Add the route after the router, with getNote: 'next'.",
    );
  });
});
