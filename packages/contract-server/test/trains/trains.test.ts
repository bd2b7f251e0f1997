import { readFile } from 'node:fs/promises';
import { createClient } from '@contract-server/client/index.js';
import { contractOf } from '@contract-server/core/contract/contract.js';
import { Links } from '@contract-server/core/contract/links.js';
import { readContract } from '@contract-server/core/load/load-contract.js';
import { expectEqualDocuments } from '@contract-server/test-support/contract/equal-documents.js';
import { jwtSecurity, signJwt } from '@contract-server/test-support/security/jwt.js';
import { expect } from 'chai';
import request from 'supertest';
import { readConfig } from '#src/config.js';
import type { ErrorResponseOptions } from '#src/http/errors/error-responses.js';
import type { SchemeHandlers } from '#src/http/security/security.js';
import { KeyRedactor } from '#src/log/key-redactor.js';
import { apiReference } from '#src/reference.js';
import { type ComposedServer, composeServer } from '#src/service/compose-server.js';
import { createMock } from '#src/service/create-mock.js';
import { type Contract, contract as values } from './generated/contract.js';
import { bookingId, createHandlers, type Received } from './handlers.js';

const url = new URL('../../../test/trains/contract.yaml', import.meta.url);
const contract = await readContract({ contract: url });
const { document } = contract;
const config = readConfig({ name: 'trains' }, { PORT: '0' }, document);
const booking = { tripId: 7, email: 'ada@trains.example' };

/** Problem details (RFC 9457). */
const problems = {
  mediaType: 'application/problem+json',
  body: ({ code, message, status }) => ({ type: `https://trains.example/problems/${code}`, title: message, status }),
} satisfies ErrorResponseOptions;

/** A handler for each security scheme: a fixed API key of a station, and JWTs of passengers. */
const security: SchemeHandlers = {
  station: {
    identify: (key) => (key === 'roma' ? { id: 'Roma Termini', scopes: [] } : undefined),
    hasApiKeys: true,
  },
  passenger: jwtSecurity(Date.now),
};
const tokenFor = (scope: string) => signJwt({ scope, exp: Date.now() / 1000 + 3600 });
const station = { 'X-API-Key': 'roma' };
const bearer = (scope: string) => ({ Authorization: `Bearer ${tokenFor(scope)}` });
const everything = { ...station, ...bearer('trips:read bookings:write payments:write') };

describe('a service with a contract of OpenAPI 3.1, without extensions', () => {
  const reported: unknown[] = [];
  const report = (event: unknown) => void reported.push(event);
  const dependencies = { contract, redactor: new KeyRedactor([]), clock: Date.now, report, errors: problems };
  let received: Received | undefined;
  let trains: ComposedServer;
  let baseUrl: string;
  before(async () => {
    const handlers = createHandlers((call) => (received = call));
    trains = await composeServer(config, dependencies, {
      security,
      links: new Links(contract, Date.now),
      handlers: handlers,
      reference: apiReference(),
    });
    ({ baseUrl } = await trains.listen());
  });
  after(async () => {
    await trains.close();
    expect(reported).to.deep.equal([]);
  });

  type Method = 'get' | 'post' | 'patch';
  const send = (method: Method, path: string, credentials: Readonly<Record<string, string>> = everything) =>
    request(trains.server)[method](`/v1${path}`).set(credentials);
  const trips = (query: string) => send('get', `/trips?${query}`);
  const post = (path: string, body: object) => send('post', path).send(body);
  const titleOf = (response: request.Response) => (response.body as { title: string }).title;
  const receivedRequest = () => JSON.parse(JSON.stringify(received?.request)) as unknown;

  it('identifies callers by its own security handlers: one scheme of several, all of several, and their scopes', async () => {
    const path = `/bookings/${bookingId}`;
    const list = ['get', '/trips?date=2026-12-01'] as const;
    const change = ['patch', path] as const;
    for (const [[method, target], credentials, status, callersOrType] of [
      [list, station, 200, 'Roma Termini'],
      [list, bearer('trips:read'), 200, 'ann'],
      [list, {}, 401, 'missing_api_key'],
      [list, { 'X-API-Key': 'milano' }, 401, 'invalid_api_key'],
      [list, { Authorization: 'Bearer x.y.z' }, 401, 'invalid_credentials'],
      [list, bearer('bookings:write'), 403, 'insufficient_scope'],
      [change, { ...station, ...bearer('bookings:write') }, 200, 'Roma Termini, ann'],
      [change, station, 401, 'missing_credentials'],
      [change, bearer('bookings:write'), 401, 'missing_api_key'],
      [change, { ...station, ...bearer('trips:read') }, 403, 'insufficient_scope'],
      [['post', `${path}/payment`], bearer('payments:write'), 403, 'insufficient_scope'],
    ] as const) {
      const response = await send(method, target, credentials);
      const type = (response.body as { type?: string }).type?.split('/').at(-1);
      const names = Object.values(received?.callers ?? {})
        .map((caller) => caller?.id)
        .join(', ');
      expect([response.status, status === 200 ? names : type], JSON.stringify(credentials)).to.deep.equal([
        status,
        callersOrType,
      ]);
      if (status !== 200) expect(response.headers).to.include({ 'content-type': problems.mediaType });
    }
    await send('get', path, {}).expect(200, 'Rome').expect('Content-Type', 'text/plain; charset=utf-8');
  });

  it('parses parameters by their type, and fills in defaults', async () => {
    await trips('date=2026-12-01').expect(200, [
      { id: 1, from: 'Rome', departure: '2026-12-01T08:00:00Z', platform: null, price: 19.99 },
    ]);
    expect(receivedRequest()).to.deep.equal({
      path: {},
      query: { bicycles: false, class: 2, date: '2026-12-01' },
      header: { 'x-seats': 1 },
      cookie: {},
    });
    await trips('date=2026-12-01&maxPrice=19.99&bicycles=true&class=1').set('X-Seats', '3').expect(200, []);
    expect(receivedRequest()).to.deep.include({
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
        '`date` must have the format date. `maxPrice` must be a number, above 0, a multiple of 0.01. ' +
        '`bicycles` must be true or false. `class` must be one of: 1, 2. `X-Seats` must be an integer from 1 to 9.',
      status: 400,
    });
    await request(trains.server).get('/v1/tickets').expect(404).expect('Content-Type', 'application/problem+json');
  });

  it('sends the media types of the contract, assigns read-only fields, and keeps fields without a schema', async () => {
    const seat = [1.5, { window: true }];
    const created = await post('/bookings', { ...booking, coupon: 'x', notes: { seat } }).expect(201);
    expect(created.headers).to.include({ 'content-type': 'application/hal+json' });
    expect(JSON.parse(created.text)).to.deep.equal({ ...booking, id: bookingId, notes: { seat, coupon: 'x' } });
    const sent = await post('/bookings', { ...booking, id: bookingId, seats: 1, email: 'ada' }).expect(400);
    expect(titleOf(sent).split('. ')).to.include.members(['`id` is not allowed', '`email` must have the format email']);
    expect(titleOf(await post('/bookings', { ...booking, seats: 1 }).expect(400))).to.match(
      /^Unknown body field `seats`/,
    );
    const large = await send('post', '/bookings').type('json').send('{"notes":{"seat":1e400}}').expect(400);
    expect(titleOf(large)).to.equal(
      'The body is not valid JSON: number beyond the range of a double, at character 18.',
    );
  });

  it('reads an optional body of the media type of the contract', async () => {
    const path = `/bookings/${bookingId}`;
    await send('patch', path).expect(200, { passengers: null });
    expect(receivedRequest()).to.deep.equal({ path: { 'booking-id': bookingId }, query: {}, header: {}, cookie: {} });
    const patch = (type: string, body: string) => send('patch', path).set('Content-Type', type).send(body);
    const type = 'application/merge-patch+json';
    await patch(type, '{"passengers":2}').expect(200, { passengers: 2 });
    await patch(type, '{"passengers":null}').expect(200);
    expect(receivedRequest()).to.deep.include({ body: { passengers: null } });
    expect(titleOf(await patch(type, '{"passengers":0}').expect(400))).to.match(
      /must be an integer, at least 1 or null/,
    );
    // In JSON Schema 2020-12, it is an integer.
    await patch(type, '{"passengers":2.0}').expect(200, { passengers: 2 });
    expect(titleOf(await patch(type, '{"passengers":1.5}').expect(400))).to.match(/must be an integer, at least 1/);
    const rejected = await patch('application/json', '{}').expect(415);
    expect(rejected.headers).to.include({ accept: type });
  });

  it('names the errors of the chosen branch of a discriminator only', async () => {
    const pay = (amount: number, source: object) => post(`/bookings/${bookingId}/payment`, { amount, source });
    const card = { kind: 'card', number: '4242424242424242' };
    await pay(49.9, card).expect(200, { amount: 49.9, source: card, currency: 'eur' });
    const iban = 'DE89370400440532013000';
    await pay(1, { kind: 'account', iban }).expect(200);
    expect(titleOf(await pay(0, { kind: 'card', iban: 'DE89' }).expect(400))).to.equal(
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
    expectEqualDocuments(json.text, yaml.text);
    expect((await request(trains.server).get('/docs').expect(200)).text).to.contain('<title>Trains API ref');
  });

  it('is called by the client, with the types of its contract', async () => {
    const credentials = { station: 'roma', passenger: tokenFor('trips:read bookings:write') };
    const { request: call } = createClient<Contract>({ baseUrl, contract: values, credentials });
    const listed = await call('get', '/trips', { params: { query: { date: '2026-12-01', maxPrice: 20 } } });
    expect(listed.data.map(({ price }) => price)).to.deep.equal([19.99]);
    const { data } = await call('post', '/bookings', { body: { tripId: 7n, email: 'ada@trains.example' } });
    const { id }: { readonly id: string } = data;
    const params = { path: { 'booking-id': id } };
    const headers = { 'Content-Type': 'application/merge-patch+json' } as const;
    const changed = await call('patch', '/bookings/{booking-id}', { params, headers, body: { passengers: 2 } });
    expect(changed.data).to.deep.equal({ passengers: 2 });
    // @ts-expect-error -- The body is application/merge-patch+json.
    const untyped = await call('patch', '/bookings/{booking-id}', { params, body: {} }).catch(
      (error: unknown) => error,
    );
    expect(untyped).to.include({ status: 415 });
  });

  it('has a mock, which validates requests and credentials, and returns the examples', async () => {
    const mock = await createMock(config, dependencies);
    await mock.listen();
    const sendToMock = (method: Method, path: string, headers: Readonly<Record<string, string>>) =>
      request(mock.server)
        [method](`/v1${path}`)
        .set({ Connection: 'close', ...headers });
    const found = await sendToMock('get', '/trips?date=2026-12-01', station).expect(200);
    expect(found.body).to.deep.equal([
      { id: 1, from: 'Rome', departure: '2026-12-01T08:00:00Z', price: 19.99, platform: null },
    ]);
    await sendToMock('get', '/trips?date=tomorrow', station).expect(400);
    await sendToMock('get', '/trips?date=2026-12-01', {}).expect(401);
    const created = await sendToMock('post', '/bookings', { Authorization: 'Bearer x' }).send(booking).expect(201);
    expect(JSON.parse(created.text)).to.deep.equal({ id: bookingId, ...booking });
    await mock.close();
  });

  it('has a path prefix of any characters', async () => {
    const servers = [{ url: 'https://trains.example/{area}+(all)', variables: { area: { default: 'rail' } } }];
    const changed = { ...contractOf({ ...document, servers }), bytes: contract.bytes };
    const mock = await createMock(config, { ...dependencies, contract: changed });
    await mock.listen();
    await request(mock.server).get('/rail+(all)/trips?date=2026-12-01').set(station).expect(200);
    await request(mock.server).get('/rail/trips?date=2026-12-01').set(station).expect(404);
    await mock.close();
  });
});
