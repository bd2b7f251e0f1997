import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ContractTypes } from '@contract-server/core/types/types.js';
import { closeLater } from '@contract-server/test-support/closing.js';
import { place } from '@contract-server/test-support/contract/contract-errors.js';
import { errorOf } from '@contract-server/test-support/error-of.js';
import type { Contract as NotesContract } from '@contract-server/test-support/notes/generated/contract.js';
import { memoryNotes, contract as notesContract, notesHandlers } from '@contract-server/test-support/notes/notes.js';
import { expect } from 'chai';
import { apiKeys } from 'contract-server/api-keys.js';
import { createService } from 'contract-server/index.js';
import { sqlite } from 'contract-server/sqlite.js';
import { startService, type TestedService } from '#dist/start-service.js';

const { url: contract } = place({
  'contract.yaml': `
openapi: 3.1.1
info: { title: Toys, version: 1.0.0 }
servers: [{ url: /v1 }]
security: [{ apiKey: [] }]
x-rate-limit-plans: { free: { requestsPerMinute: 2, requestsPerDay: 10 }, own: custom }
paths:
  /toys:
    get:
      operationId: listToys
      responses:
        "200":
          description: Toys
          headers: &headers
            X-RateLimit-Limit: { schema: { type: integer } }
            X-RateLimit-Remaining: { schema: { type: integer } }
            X-RateLimit-Reset: { schema: { type: integer } }
            RateLimit-Policy: { schema: { type: string } }
            RateLimit: { schema: { type: string } }
          content: { application/json: { schema: { type: array, items: { type: string } } } }
        default:
          description: Error
          headers: *headers
          content: { application/json: { schema: { type: object, required: [code] } } }
components: { securitySchemes: { apiKey: { type: http, scheme: bearer } } }
`,
  'sqlite/0001-toys.sql': 'CREATE TABLE toys (name TEXT NOT NULL) STRICT;',
});

interface Toys {
  readonly file: string;
  add(name: string): Promise<unknown>;
  list(): Promise<readonly string[]>;
  close(): Promise<void>;
}

const service = createService<ContractTypes>()({
  name: 'toys',
  contract,
  stores: {
    migrations: new URL('.', contract),
    records: { table: 'toys', one: 'toy', many: 'toys' },
    sqlite: sqlite(
      (db): Toys => ({
        file: db.connection.name,
        add: (name) => db.transaction(() => db.prepare('INSERT INTO toys VALUES (?)').run(name)),
        list: () => db.run(() => db.prepare<[], string>('SELECT name FROM toys').pluck().all()),
        close: () => Promise.resolve(),
      }),
    ),
  },
  security: { apiKey: apiKeys() },
  create: ({ stores }) => ({
    handlers: {
      listToys: async () => ({ status: 200, body: JSON.stringify(await stores.list()) }),
    },
  }),
});

describe('a service that a test starts', () => {
  let started: TestedService<Toys>;
  const start = async (options = {}) => {
    started = await startService(service, options);
    closeLater(() => started.close());
    return started;
  };
  const list = (token: string) => started.request.get('/v1/toys').set('Authorization', `Bearer ${token}`);

  it('has an empty database, its stores and API keys, and listens on a free port', async () => {
    const { stores, basePath, baseUrl, createApiKey } = await start();
    const token = await createApiKey();
    await list(token).expect(200, []).expect('X-RateLimit-Limit', '2');
    await stores.add('Block');
    await list(token).expect(200, ['Block']);
    expect(basePath).to.equal('/v1');
    expect(baseUrl).to.match(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    expect((await fetch(`${baseUrl}/toys`)).status).to.equal(401);
  });

  it('uses a clock that only the test advances', async () => {
    const clock = { now: Date.parse('2030-01-01T00:00:00Z') };
    const { createApiKey } = await start({ clock });
    const token = await createApiKey({ plan: 'own', limits: { requestsPerMinute: 1, requestsPerDay: 9 } });
    await list(token)
      .expect(200)
      .expect('X-RateLimit-Reset', String(clock.now / 1000 + 60));
    await list(token).expect(429).expect('Retry-After', '60');
    clock.now += 60_000;
    await list(token).expect(200);
  });

  it('passes its stores, settings and clock to a security handler, with their types', async () => {
    const notes = createService<NotesContract>()({
      name: 'notes',
      contract: notesContract,
      settings: { until: { name: 'UNTIL', required: true, unit: 'time', description: 'When.', parse: Date.parse } },
      stores: { sqlite: sqlite(() => ({ owners: new Map([['secret', { id: 'ann', email: 'ann@notes.example' }]]) })) },
      security: {
        token: (token, { stores, settings, clock }) =>
          clock() < settings.until ? stores.owners.get(token) : undefined,
      },
      create: () => ({ handlers: notesHandlers(memoryNotes()) }),
    });
    const clock = { now: Date.parse('2030-01-01T00:00:00Z') };
    const { baseUrl, close } = await startService(notes, { clock, settings: { UNTIL: '2030-01-01T00:00:01Z' } });
    closeLater(close);
    const post = () =>
      fetch(`${baseUrl}/notes`, {
        method: 'POST',
        headers: { Authorization: 'Bearer secret', 'Content-Type': 'application/json' },
        body: '{"text":"Milk"}',
      });
    expect(await (await post()).json()).to.deep.equal({ id: 1, owner: 'ann', text: 'Milk' });
    clock.now += 1000;
    expect((await post()).status).to.equal(401);
  });

  it('reads the given settings and no others, and reports invalid ones', async () => {
    const { request } = await start({
      settings: { MAX_CONCURRENT_REQUESTS: '1', CORS_ORIGINS: 'https://shop.example' },
    });
    await request.get('/v1/toys').set('Origin', 'https://shop.example').expect('Vary', 'Origin').expect(401);
    const error = await errorOf(startService(service, { settings: { HOST: 'nowhere' } }));
    expect(String(error)).to.match(/^CommandError: HOST=nowhere is invalid/);
    const unknown = await errorOf(startService(service, { settings: { LOG_LEVL: 'silent', REDIS_URL: 'redis://a' } }));
    expect((unknown as Error).message).to.equal(
      'The service has no setting `LOG_LEVL`. Did you mean `LOG_LEVEL`?\nThe service has no setting `REDIS_URL`.',
    );
  });

  it('keeps its log for the test', async () => {
    const { request, log } = await start();
    await request.get('/v1/toys').set('X-Request-Id', 'one').expect(401);
    expect(await log.ofRequest('one')).to.include({ level: 'info', operationId: 'listToys', status: 401 });
    await start({ settings: { LOG_LEVEL: 'silent' } });
    await started.request.get('/v1/toys').expect(401);
    expect(started.log.text).to.equal('');
  });

  it('fails a test whose response the contract does not allow', async () => {
    await start();
    await started.stores.add('Block');
    const broken = await startService({
      definition: {
        ...service.definition,
        create: () => ({ handlers: { listToys: () => Promise.resolve({ status: 200, body: '[7]' }) } }),
      },
    });
    closeLater(() => broken.close());
    const sent = broken.request.get('/v1/toys').set('Authorization', `Bearer ${await broken.createApiKey()}`);
    expect(String(await errorOf(Promise.resolve(sent)))).to.equal(
      'Error: GET /v1/toys returns 200, which the contract does not allow:\n' +
        '  body /0 must be string (type), received 7',
    );
  });

  it('closes its stores and connections, and deletes its temporary directory', async () => {
    const { close, stores, baseUrl } = await start();
    expect(existsSync(stores.file)).to.equal(true);
    await close();
    expect(existsSync(dirname(stores.file))).to.equal(false);
    expect(await errorOf(fetch(baseUrl))).to.be.instanceOf(TypeError);
  });

  it('keeps a directory that the settings name, for the next start', async () => {
    const directory = fileURLToPath(new URL('data/', contract));
    const first = await start({ settings: { DATA_DIR: directory } });
    await first.stores.add('Block');
    await first.close();
    expect(await (await start({ settings: { DATA_DIR: directory } })).stores.list()).to.deep.equal(['Block']);
  });
});
