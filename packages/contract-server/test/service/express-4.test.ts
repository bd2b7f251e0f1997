import { once } from 'node:events';
import { createRequire } from 'node:module';
import { StartError } from '@contract-server/core/lib/errors.js';
import type { ContractTypes } from '@contract-server/core/types/types.js';
import { RawConnection } from '@contract-server/test-support/clients/raw-connection.js';
import { closeLater } from '@contract-server/test-support/closing.js';
import { place } from '@contract-server/test-support/contract/contract-errors.js';
import { limited, ping } from '@contract-server/test-support/contract/ping-contracts.js';
import { LogLines } from '@contract-server/test-support/log-lines.js';
import type { Contract } from '@contract-server/test-support/notes/generated/contract.js';
import {
  contract,
  findOwner,
  memoryNotes,
  notesHandlers,
  signToken,
} from '@contract-server/test-support/notes/notes.js';
import { expect } from 'chai';
import express from 'express4';
import { pino } from 'pino';
import supertest from 'supertest';
import { createRouter, validatedOf } from '#src/index.js';
import { requireExpress5 } from '#src/router/start-checks.js';

const security = { token: (credentials: string) => findOwner(credentials) };
const bearer = { Authorization: `Bearer ${await signToken('ann')}` };

describe('createRouter in an application with Express 4', () => {
  it('is tested with version 4', () => {
    const { version } = createRequire(import.meta.url)('express4/package.json') as { readonly version: string };
    expect(version).to.match(/^4\./);
  });

  it('is not created if `express` is Express 4', () => {
    expect(() => requireExpress5(express)).to.throw(
      StartError,
      'contract-server needs the package express in version 5. An application can import Express 4 by another name: ' +
        'npm install express4@npm:express@4.',
    );
  });

  it('serves a contract, below a mount path too, and leaves other requests to the application', async () => {
    const options = { contract, security, logger: pino(new LogLines()) };
    const router = await createRouter<Contract>()({ ...options, handlers: notesHandlers(memoryNotes()) });
    const app = express().use(router, express.json()).use('/shop', router);
    app.post('/echo', ({ body }, response) => void response.json(body));
    const note = { id: 1, owner: 'ann', text: 'Milk' };
    await supertest(app).post('/api/notes').set(bearer).send({ text: 'Milk' }).expect(201, note);
    await supertest(app).get('/api/notes?limit=1').set(bearer).expect(200, [note]);
    await supertest(app).get('/shop/notes').set(bearer).expect(200, [note]);
    await supertest(app).get('/api/notes?limit=0').expect(400).expect('Content-Type', 'application/json');
    await supertest(app).post('/api/notes').send({ text: 'Milk' }).expect(401);
    await supertest(app).get('/api/lists').expect(404).expect('Content-Type', 'application/json');
    await supertest(app).post('/echo').send({ a: 1 }).expect(200, { a: 1 });
  });

  it('limits client addresses behind the proxies that the application trusts', async () => {
    const { url } = place({ 'contract.yaml': limited });
    const app = express().set('trust proxy', 'loopback');
    app.use(
      await createRouter<ContractTypes>()({
        contract: url,
        security: { key: () => ({ id: 'x' }) },
        handlers: { ping } as object,
      }),
    );
    const send = (address: string) => supertest(app).get('/v1/ping').set({ 'X-Forwarded-For': address, 'X-Key': 'x' });
    await send('203.0.113.7').expect(200);
    await send('203.0.113.7').expect(429);
    await send('203.0.113.8').expect(200);
  });

  it('passes requests on, whose bodies parsers of Express 4 leave as they are', async () => {
    const validated = validatedOf<Contract>();
    const options = { contract, security, logger: pino(new LogLines()) };
    const handlers = { createNote: 'next' } as const;
    const app = express().use(
      await createRouter<Contract>()({ ...options, unhandled: 'next', handlers }),
      express.json(),
    );
    app.post('/api/notes', (request, response) => {
      response.json([request.body as unknown, validated(request, 'createNote').body.isPublic]);
    });
    app.get('/api/notes', (_request, response) => void response.send('Express'));
    const sent = { text: 'Milk', isPublic: false };
    await supertest(app).post('/api/notes').set(bearer).send({ text: 'Milk' }).expect(200, [sent, false]);
    await supertest(app).get('/api/notes').expect(200, 'Express');
  });

  it('passes requests on whose body is empty, and was read', async () => {
    const { url } = place({
      'contract.yaml': `
openapi: 3.1.1
info: { title: Notes, version: 1.0.0 }
servers: [{ url: /v1 }]
paths:
  /notes:
    post:
      operationId: addNote
      requestBody: { content: { application/json: {} } }
      responses: { "200": { description: Added. } }
`,
    });
    const handlers = { addNote: 'next' } as object;
    const app = express().use(await createRouter<ContractTypes>()({ contract: url, handlers }), express.json());
    app.post('/v1/notes', (request, response) => void response.json([typeof request.body]));
    const server = app.listen(0, '127.0.0.1');
    closeLater(() => server.close());
    await once(server, 'listening');
    const head =
      'POST /v1/notes HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
    const connection = await RawConnection.open({ server }, `${head}0\r\n\r\n`);
    expect(await connection.readResponse()).to.include({ status: 200, text: '["undefined"]' });
  });
});
