import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import request from 'supertest';
import { KeyRedactor } from '#src/api-keys/key-redactor.js';
import { createPetstoreClient } from '#src/client/petstore-client.js';
import { readConfig } from '#src/config.js';
import { AddressLimit } from '#src/http/address-limit.js';
import type { ErrorForm } from '#src/http/error-responses.js';
import { stringifyJson } from '#src/json/exact-json.js';
import { Readiness } from '#src/observability/readiness.js';
import { createApi } from '#src/openapi/create-api.js';
import { readContract } from '#src/openapi/load-contract.js';
import type { Handlers } from '#src/openapi/types.js';
import { type ComposedServer, composeServer } from '#src/service/compose-server.js';
import { createMock } from '#src/service/create-mock.js';

const url = new URL('../../../test/trains/contract.yaml', import.meta.url);
const contract = await readContract(url);
const { document } = contract;
const config = readConfig({ PORT: '0' }, document);
const id = '2f1b3c9e-8f0a-4b6e-9d3c-1a2b3c4d5e6f';
const booking = { tripId: 7, email: 'ada@trains.example' };

/** Problem details (RFC 9457). */
const problems: ErrorForm = {
  mediaType: 'application/problem+json',
  create: ({ code, message, status }) => ({ type: `https://trains.example/problems/${code}`, title: message, status }),
};

type Received = Readonly<Record<string, unknown>>;
const reply = (status: number, body: unknown) => Promise.resolve({ status, body: stringifyJson(body) });
/** They return what they receive: the types of this project are those of the pet store. */
const handlers = {
  'list-trips': ({ query, header }: Received) => reply(200, { query, header }),
  'create-booking': ({ body }: Received) => reply(201, { id, ...(body as object) }),
  'change booking': ({ path, body = null }: Received) => reply(200, { path, body }),
  'GET /bookings/{booking-id}': () => Promise.resolve({ status: 200, body: 'Rome', mediaType: 'text/plain' }),
  pay: ({ body }: Received) => reply(200, body),
} as unknown as Handlers;

describe('a service with a contract of OpenAPI 3.1, without extensions', () => {
  const reported: unknown[] = [];
  const report = (event: unknown) => void reported.push(event);
  const dependencies = { contract, redactor: new KeyRedactor(document), clock: Date.now, report };
  const unused = () => Promise.reject(new Error('There are no limits.'));
  let trains: ComposedServer;
  let baseUrl: string;
  before(async () => {
    trains = await composeServer(config, dependencies, {
      security: {},
      quotas: { consume: unused, peek: unused },
      addressLimit: new AddressLimit(undefined),
      readiness: new Readiness(() => Promise.resolve(), report),
      createApi: (_links, lifecycleHandlers) => createApi({ document, handlers, lifecycleHandlers }),
      serverEvents: { onEnd: () => undefined },
      errorForm: problems,
    });
    ({ baseUrl } = await trains.listen());
  });
  after(async () => {
    await trains.close();
    expect(reported).to.deep.equal([]);
  });

  const trips = (query: string) => request(trains.server).get(`/v1/trips?${query}`);
  const post = (path: string, body: object) => request(trains.server).post(`/v1${path}`).send(body);
  const titleOf = (response: request.Response) => (response.body as { title: string }).title;

  it('parses parameters by their type, and fills in defaults', async () => {
    const defaults = { query: { bicycles: false, class: 2, date: '2026-12-01' }, header: { 'x-seats': 1 } };
    expect((await trips('date=2026-12-01').expect(200)).body).to.deep.equal(defaults);
    const sent = await trips('date=2026-12-01&maxPrice=19.99&bicycles=true&class=1').set('X-Seats', '3').expect(200);
    expect(sent.body).to.deep.equal({
      query: { date: '2026-12-01', maxPrice: 19.99, bicycles: true, class: 1 },
      header: { 'x-seats': 3 },
    });
  });

  it('returns problem details that name each invalid parameter, without rate-limit headers', async () => {
    const response = await trips('date=2026-02-30&maxPrice=1e1&bicycles=1&class=3').set('X-Seats', '0x3').expect(400);
    expect(response.headers)
      .to.include({ 'content-type': 'application/problem+json' })
      .and.not.have.any.keys('ratelimit');
    expect(response.body).to.deep.equal({
      type: 'https://trains.example/problems/invalid_request',
      title:
        '`date` must match format "date". `maxPrice` must be a number, above 0, a multiple of 0.01. ' +
        '`bicycles` must be true or false. `class` must be one of: 1, 2. `X-Seats` must be an integer from 1 to 9.',
      status: 400,
    });
    await request(trains.server).get('/v1/tickets').expect(404).expect('Content-Type', 'application/problem+json');
  });

  it('sends the media types of the contract, and assigns read-only fields', async () => {
    const created = await post('/bookings', { ...booking, notes: { seat: [1.5, { window: true }] } }).expect(201);
    expect(created.headers).to.include({ 'content-type': 'application/hal+json' });
    expect(JSON.parse(created.text)).to.deep.include({ id, notes: { seat: [1.5, { window: true }] } });
    const sent = await post('/bookings', { ...booking, id, seats: 1, email: 'ada' }).expect(400);
    expect(titleOf(sent).split('. ')).to.include.members(['`id` is not allowed', '`email` must match format "email"']);
    expect(titleOf(await post('/bookings', { ...booking, seats: 1 }).expect(400))).to.match(
      /^Unknown body field `seats`/,
    );
    await request(trains.server).get(`/v1/bookings/${id}`).expect(200, 'Rome').expect('Content-Type', 'text/plain');
  });

  it('reads an optional body of the media type of the contract', async () => {
    const path = `/v1/bookings/${id}`;
    const received = (body: unknown) => ({ path: { 'booking-id': id }, body });
    await request(trains.server).patch(path).expect(200, received(null));
    const patch = (type: string, body: string) =>
      request(trains.server).patch(path).set('Content-Type', type).send(body);
    const type = 'application/merge-patch+json';
    await patch(type, '{"passengers":null}').expect(200, received({ passengers: null }));
    await patch(type, '{"passengers":2}').expect(200, received({ passengers: 2 }));
    expect(titleOf(await patch(type, '{"passengers":1.0}').expect(400))).to.match(
      /must be an integer from 1 to .* or null/,
    );
    const rejected = await patch('application/json', '{}').expect(415);
    expect(rejected.headers).to.include({ accept: type });
  });

  it('names the errors of the chosen branch of a discriminator only', async () => {
    const pay = (amount: number, source: object) => post(`/bookings/${id}/payment`, { amount, source });
    const card = { kind: 'card', number: '4242424242424242' };
    await pay(49.9, card).expect(200, { amount: 49.9, source: card, currency: 'eur' });
    const iban = 'DE89370400440532013000';
    await pay(1, { kind: 'account', iban }).expect(200);
    expect(titleOf(await pay(0, { kind: 'card', iban }).expect(400))).to.equal(
      '`amount` must be a number, above 0, below 10000. Missing body field `source.number`. ' +
        'Unknown body field `source.iban`; allowed: `kind`, `number`.',
    );
    expect(titleOf(await pay(1, { kind: 'cash' }).expect(400))).to.equal(
      '`source.kind` must be one of: card, account.',
    );
  });

  it('serves its documents: the files in one', async () => {
    const yaml = await request(trains.server).get('/openapi.yaml').buffer().expect(200);
    expect(yaml.text).to.contain('title: Trains').and.not.contain('payment.yaml');
    expect(await readFile(url, 'utf8')).to.contain('payment.yaml#/Payment');
    const json = await request(trains.server).get('/openapi.json').expect(200);
    expect(json.body).to.have.nested.property('components.schemas.Payment');
    expect((await request(trains.server).get('/docs').expect(200)).text).to.contain('<title>Trains');
  });

  it('is called by the client', async () => {
    const client = createPetstoreClient({ baseUrl, apiKey: 'none' });
    const call = client.request as unknown as (...args: unknown[]) => Promise<{ data: Received }>;
    const { data } = await call('get', '/trips', { params: { query: { date: '2026-12-01', maxPrice: 0.5 } } });
    expect(data['query']).to.deep.include({ maxPrice: 0.5, class: 2 });
  });

  it('has a mock, which validates requests and returns the examples', async () => {
    const mock = await createMock(config, dependencies);
    await mock.listen();
    const get = (path: string) => request(mock.server).get(`/v1${path}`).set('Connection', 'close');
    const found = await get('/trips?date=2026-12-01').expect(200);
    expect(found.body).to.deep.equal([
      { id: 1, from: 'Rome', departure: '2026-12-01T08:00:00Z', price: 19.99, platform: null },
    ]);
    await get('/trips?date=tomorrow').expect(400);
    await mock.close();
  });
});
