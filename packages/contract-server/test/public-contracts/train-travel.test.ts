/* eslint-disable @typescript-eslint/require-await -- a handler is async, as in an application */
import { readFileSync } from 'node:fs';
import { createClient } from '@contract-server/client/index.js';
import { place } from '@contract-server/test-support/contract/contract-errors.js';
import { errorOf } from '@contract-server/test-support/error-of.js';
import { createRequest } from '@contract-server/testing/create-request.js';
import { standardHeaders } from '@contract-server/testing/standard-headers.js';
import { expect } from 'chai';
import express from 'express';
import { pino } from 'pino';
import { parse } from 'yaml';
import { createRouter, type ErrorResponseOptions, errorsOf, type Handlers } from '#src/index.js';
import { type Contract, contract as values } from './generated/train-travel.js';
import { type Exchange, itServesWhole, useOrigin } from './whole-contract.js';

const contract = new URL('3.1/yaml/train-travel.yaml', import.meta.resolve('@readme/oas-examples/package.json'));
const ApiError = errorsOf<Contract>();

const id = 'efdbb9d1-02c2-4bc3-afb7-6788d8782b1e';
const lost = '00000000-0000-4000-8000-000000000404';
const full = '00000000-0000-4000-8000-000000000409';
const baseUrl = 'https://trains.example';
const booking = { trip_id: id, passenger_name: 'Ann', has_bicycle: true };
const bookingXml = `<booking><trip_id>${id}</trip_id></booking>`;
const stored = { ...booking, id, links: { self: `${baseUrl}/bookings/${id}` } };
const station = { id, name: 'Berlin Hauptbahnhof', address: 'Invalidenstraße 10557 Berlin', country_code: 'DE' };
const trip = { id, origin: id, destination: id, departure_time: '2026-12-01T08:00:00Z', price: 49.9 };
const listOf = <Item>(item: Item, path: string) => ({ data: [item], links: { self: baseUrl + path } });

type Caller = { readonly id: string; readonly scopes: readonly string[] };

/** The caller decides what fails, so that every operation can return every error. */
function requireReady(caller: Caller): void {
  if (caller.id === 'broken') throw new Error('A defect.');
  const headers = { 'Retry-After': '60', RateLimit: 'limit=10, remaining=0, reset=60' };
  if (caller.id === 'busy') throw new ApiError('too_many_requests', 'Slow down.', { headers });
  if (caller.id === 'banned') throw new ApiError('forbidden', 'No access.');
}

function requireFound(found: string | undefined): void {
  if (found === lost) throw new ApiError('not_found', 'There is no such resource.');
}

const handlers: Handlers<Contract, { readonly OAuth2: Caller }> = {
  'get-stations': async (_request, { caller }) => {
    requireReady(caller);
    if (caller.id === 'xml') return { status: 200, body: '<data/>', mediaType: 'application/xml' };
    return { status: 200, body: listOf(station, '/stations'), headers: { RateLimit: 'limit=10' } };
  },
  'get-trips': async (_request, { caller }) => {
    requireReady(caller);
    return { status: 200, body: listOf(trip, '/trips') };
  },
  'get-bookings': async (_request, { caller }) => {
    requireReady(caller);
    return { status: 200, body: listOf({ ...booking, id }, '/bookings') };
  },
  'create-booking': async ({ body, mediaType }, { caller, links }) => {
    requireReady(caller);
    if (mediaType === 'application/xml') return { status: 201, body, mediaType };
    requireFound(body.trip_id);
    if (body.trip_id === full) throw new ApiError('conflict', 'The trip is full.');
    const self = links.to('get-booking', { bookingId: id }) ?? '';
    return { status: 201, body: { ...body, id, links: { self } } };
  },
  'get-booking': async ({ path }, { caller }) => {
    requireReady(caller);
    requireFound(path.bookingId);
    return { status: 200, body: stored };
  },
  'delete-booking': async ({ path }, { caller }) => {
    requireReady(caller);
    requireFound(path.bookingId);
    return { status: 204 };
  },
  'create-booking-payment': async ({ path, body }, { caller, links }) => {
    requireReady(caller);
    const booked = links.to('get-booking', { bookingId: path.bookingId }) ?? '';
    return { status: 200, body: { ...body, id, status: 'succeeded', links: { booking: booked } } };
  },
};

const errors: ErrorResponseOptions = {
  mediaType: 'application/problem+json',
  body: ({ code, message, status, path }) => ({
    ...{ type: `https://trains.example/problems/${code}`, title: code, status, detail: message, instance: path },
  }),
};

/** A token names its caller and its scopes: `ann:read,write`. */
function OAuth2(token: string): Caller {
  const [name = '', scopes = ''] = token.split(':');
  return { id: name, scopes: scopes.split(',') };
}

function createTrains(overlay?: URL) {
  return createRouter<Contract>()({
    ...{ contract, handlers, errors, security: { OAuth2 }, publicBaseUrl: baseUrl, validateResponses: true },
    logger: pino({ level: 'silent' }),
    ...(overlay && { overlay }),
  });
}

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const problem = 'application/problem+json';

/** Those of errors that each operation declares. */
function failuresOf(operation: string, target: string, send?: object): Exchange[] {
  const request = { operation, target, type: problem, ...(send && { send }) };
  return [
    { ...request, headers: {}, status: 401 },
    { ...request, headers: bearer('busy:read,write'), status: 429 },
    { ...request, headers: bearer('broken:read,write'), status: 500 },
  ];
}

/** A handler refuses one caller, and the library one whose token lacks the scope. */
function forbiddenIn(operation: string, target: string, send?: object): Exchange[] {
  return ['banned:read,write', 'ann:none'].map((token) => ({
    ...{ operation, target, headers: bearer(token), status: 403, type: problem, ...(send && { send }) },
  }));
}

const trips = `/trips?origin=${id}&destination=${id}&date=2026-12-01T00:00:00Z`;
const one = `/bookings/${id}`;
const bank = {
  object: 'bank_account',
  name: 'Ann',
  number: '1',
  account_type: 'individual',
  bank_name: 'B',
  country: 'gb',
};
const payment = { amount: 100.5, currency: 'gbp', source: bank };
const paid = { ...payment, id, status: 'succeeded', links: { booking: `${baseUrl}${one}` } };

/** The card of the contract's example, whose response has no member that is only written. */
const { paths } = parse(readFileSync(contract, 'utf8')) as {
  readonly paths: Readonly<Record<string, { readonly post: unknown }>>;
};
const { requestBody } = paths['/bookings/{bookingId}/payment']?.post as {
  readonly requestBody: { readonly content: Readonly<Record<string, { readonly examples: CardExample }>> };
};
interface CardExample {
  readonly Card: { readonly value: { readonly source: Readonly<Record<string, unknown>> } };
}
const card = requestBody.content['application/json']?.examples.Card.value ?? expect.fail();
const { cvc: _cvc, address_line1: _line1, address_line2: _line2, ...shown } = card.source;

const exchanges: readonly Exchange[] = [
  { operation: 'get-stations', target: '/stations', status: 200, body: listOf(station, '/stations') },
  {
    ...{ operation: 'get-stations', target: '/stations', headers: bearer('xml:read'), status: 200 },
    ...{ type: 'application/xml', body: '<data/>' },
  },
  {
    ...{ operation: 'get-stations', target: '/stations?color=red', status: 400, type: problem },
    body: {
      ...{ type: 'https://trains.example/problems/invalid_request', title: 'invalid_request', status: 400 },
      detail: 'Unknown query parameter `color`; this operation takes none.',
      instance: '/stations',
    },
  },
  ...failuresOf('get-stations', '/stations'),
  ...forbiddenIn('get-stations', '/stations'),
  { operation: 'get-trips', target: trips, status: 200, body: listOf(trip, '/trips') },
  { operation: 'get-trips', target: '/trips', status: 400, type: problem },
  ...failuresOf('get-trips', trips),
  ...forbiddenIn('get-trips', trips),
  { operation: 'get-bookings', target: '/bookings', status: 200, body: listOf({ ...booking, id }, '/bookings') },
  { operation: 'get-bookings', target: '/bookings?color=red', status: 400, type: problem },
  ...failuresOf('get-bookings', '/bookings'),
  ...forbiddenIn('get-bookings', '/bookings'),
  { operation: 'create-booking', target: '/bookings', send: booking, status: 201, body: stored },
  {
    ...{ operation: 'create-booking', target: '/bookings', send: bookingXml, status: 201 },
    headers: { ...bearer('ann:write'), 'Content-Type': 'application/xml' },
    ...{ type: 'application/xml', body: bookingXml },
  },
  { operation: 'create-booking', target: '/bookings', send: { ...booking, id }, status: 400, type: problem },
  { operation: 'create-booking', target: '/bookings', send: { trip_id: lost }, status: 404, type: problem },
  { operation: 'create-booking', target: '/bookings', send: { trip_id: full }, status: 409, type: problem },
  ...failuresOf('create-booking', '/bookings', booking),
  { operation: 'get-booking', target: one, status: 200, body: stored },
  { operation: 'get-booking', target: '/bookings/1', status: 400, type: problem },
  { operation: 'get-booking', target: `/bookings/${lost}`, status: 404, type: problem },
  ...failuresOf('get-booking', one),
  ...forbiddenIn('get-booking', one),
  { operation: 'delete-booking', target: one, status: 204 },
  { operation: 'delete-booking', target: '/bookings/1', status: 400, type: problem },
  { operation: 'delete-booking', target: `/bookings/${lost}`, status: 404, type: problem },
  ...failuresOf('delete-booking', one),
  ...forbiddenIn('delete-booking', one),
  { operation: 'create-booking-payment', target: `${one}/payment`, send: payment, status: 200, body: paid },
  {
    ...{ operation: 'create-booking-payment', target: `${one}/payment`, send: card, status: 200 },
    body: { ...paid, ...card, source: shown },
  },
  {
    ...{ operation: 'create-booking-payment', target: `${one}/payment`, status: 400, type: problem },
    send: { ...payment, source: { ...bank, iban: 'x' } },
  },
  ...failuresOf('create-booking-payment', `${one}/payment`, payment),
  ...forbiddenIn('create-booking-payment', `${one}/payment`, payment),
];

const rateLimitHeaders = 'x-ratelimit-limit x-ratelimit-remaining x-ratelimit-reset ratelimit-policy'.split(' ');

describe('Train Travel, served whole', () => {
  itServesWhole(contract, createTrains, bearer('ann:read,write'), exchanges);

  it('is limited by an overlay, with errors in the same form', async () => {
    const update = { 'x-rate-limit': { requests: 1, seconds: 60 } };
    const actions = [{ target: "$.paths['/stations'].get", update }];
    const content = JSON.stringify({ overlay: '1.0.0', info: { title: 'Limits', version: '1' }, actions });
    const { url: overlay } = place({ 'overlay.json': content });
    const app = express().use(await createTrains(overlay));
    const request = await createRequest({
      contract,
      overlay,
      server: app,
      undeclaredHeaders: [...standardHeaders, ...rateLimitHeaders],
    });
    await request.get('/stations').set(bearer('ann:read')).expect(200);
    const limited = await request.get('/stations').set(bearer('ann:read')).expect(429).expect('Retry-After', '60');
    expect(limited.type).to.equal(problem);
    expect(limited.body).to.include({ title: 'rate_limit_exceeded', status: 429, instance: '/stations' });
  });

  const origin = useOrigin(createTrains);
  it('is called by the client, with a token of OAuth 2 and the problems of the contract', async () => {
    const credentials = { OAuth2: 'ann:read,write' };
    const client = createClient<Contract>({ baseUrl: origin() + values.pathPrefix, contract: values, credentials });
    const { data } = await client.request('post', '/bookings', { body: booking });
    expect(data).to.deep.equal(stored);
    const error: unknown = await errorOf(client.request('post', '/bookings', { body: { trip_id: full } }));
    const isExpected = client.isError(error, 'post', '/bookings') && error.status === 409;
    const detail: string | undefined = isExpected && typeof error.body === 'object' ? error.body.detail : undefined;
    expect(detail).to.equal('The trip is full.');
  });
});
