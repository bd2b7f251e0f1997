/* eslint-disable @typescript-eslint/require-await -- a handler is async, as in an application */

import { createClient } from '@contract-server/client/index.js';
import { errorOf } from '@contract-server/test-support/error-of.js';
import { expect } from 'chai';
import { type BasicCredentials, createRouter, type ErrorResponseOptions, errorsOf, type Handlers } from '#src/index.js';
import { type Contract, contract as values } from './generated/museum.js';
import { type Exchange, itServesWhole, useOrigin } from './whole-contract.js';

const contract = new URL('../../../test/public-contracts/museum.yaml', import.meta.url);
const ApiError = errorsOf<Contract>();
const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const lost = '00000000-0000-4000-8000-000000000404';
const eventId = 'dad4bce8-f5cb-4078-a211-995864315e39';
const event = { name: 'Tea', location: 'Hall', eventDescription: 'Tea for all.', dates: ['2026-12-01'], price: 25.5 };
const ticket = { ticketType: 'event', ticketDate: '2026-12-01', eventId } as const;

function requireFound(id: string | undefined): void {
  if (id === lost) throw new ApiError('not_found', 'Not found.');
}

const handlers: Handlers<Contract> = {
  getMuseumHours: async ({ query }) => {
    if (query.startDate === '2000-01-01') throw new ApiError('not_found', 'Not found.');
    const hours = { date: query.startDate ?? '2026-12-01', timeOpen: '09:00', timeClose: '18:00' };
    return { status: 200, body: Array.from({ length: Math.min(query.limit, query.page) }, () => hours) };
  },
  createSpecialEvent: async ({ body }) => {
    requireFound(body.eventId);
    return { status: 201, body: { ...body, eventId } };
  },
  listSpecialEvents: async ({ query }) => {
    if (query.endDate === '2000-01-01') throw new ApiError('not_found', 'Not found.');
    return { status: 200, body: [{ ...event, eventId }] };
  },
  getSpecialEvent: async ({ path }) => {
    requireFound(path.eventId);
    return { status: 200, body: { ...event, ...path } };
  },
  updateSpecialEvent: async ({ path, body }) => {
    requireFound(path.eventId);
    return { status: 200, body: { ...event, ...body, ...path } };
  },
  deleteSpecialEvent: async ({ path }, { caller }) => {
    requireFound(path.eventId);
    if (caller.id !== 'admin') throw new ApiError('unauthorized', 'Only admins delete events.');
    return { status: 204 };
  },
  buyMuseumTickets: async ({ body }) => {
    requireFound(body.eventId);
    return { status: 201, body: { ...body, message: 'Bought.', confirmationCode: 'ticket-event-1' } };
  },
  getTicketCode: async ({ path }) => {
    requireFound(path.ticketId);
    return { status: 200, body: png };
  },
};

const errors: ErrorResponseOptions = {
  mediaType: 'application/problem+json',
  body: ({ code, message }) => ({ type: code, title: message }),
};

function createMuseum() {
  const MuseumPlaceholderAuth = ({ username, password }: BasicCredentials) =>
    password === 'secret' ? { id: username } : undefined;
  return createRouter<Contract>()({
    contract,
    security: { MuseumPlaceholderAuth },
    handlers,
    errors,
    validateResponses: true,
  });
}

const basic = (credentials: string) => ({ Authorization: `Basic ${btoa(credentials)}` });
const problem = 'application/problem+json';
const notFound = { status: 404, type: problem, body: { type: 'not_found', title: 'Not found.' } } as const;
const invalid = { status: 400, type: problem } as const;

const exchanges: readonly Exchange[] = [
  {
    ...{ operation: 'getMuseumHours', target: '/museum-hours?startDate=2026-12-24', status: 200 },
    body: [{ date: '2026-12-24', timeOpen: '09:00', timeClose: '18:00' }],
  },
  {
    ...{ operation: 'getMuseumHours', target: '/museum-hours?limit=31', ...invalid },
    body: { type: 'invalid_request', title: '`limit` must be an integer, at most 30.' },
  },
  { operation: 'getMuseumHours', target: '/museum-hours?startDate=2000-01-01', ...notFound },
  {
    ...{ operation: 'createSpecialEvent', target: '/special-events', send: event, status: 201 },
    body: { ...event, eventId },
  },
  { operation: 'createSpecialEvent', target: '/special-events', send: { ...event, dates: ['soon'] }, ...invalid },
  { operation: 'createSpecialEvent', target: '/special-events', send: { ...event, eventId: lost }, ...notFound },
  {
    ...{ operation: 'listSpecialEvents', target: '/special-events', status: 200 },
    body: [{ ...event, eventId }],
  },
  { operation: 'listSpecialEvents', target: '/special-events?page=x', ...invalid },
  { operation: 'listSpecialEvents', target: '/special-events?endDate=2000-01-01', ...notFound },
  {
    ...{ operation: 'getSpecialEvent', target: `/special-events/${eventId}`, status: 200 },
    body: { ...event, eventId },
  },
  { operation: 'getSpecialEvent', target: '/special-events/tea', ...invalid },
  { operation: 'getSpecialEvent', target: `/special-events/${lost}`, ...notFound },
  {
    ...{ operation: 'updateSpecialEvent', target: `/special-events/${eventId}`, send: { price: 0 }, status: 200 },
    body: { ...event, eventId, price: 0 },
  },
  { operation: 'updateSpecialEvent', target: `/special-events/${eventId}`, send: { price: 'free' }, ...invalid },
  { operation: 'updateSpecialEvent', target: `/special-events/${lost}`, send: {}, ...notFound },
  { operation: 'deleteSpecialEvent', target: `/special-events/${eventId}`, status: 204 },
  { operation: 'deleteSpecialEvent', target: '/special-events/tea', ...invalid },
  {
    ...{ operation: 'deleteSpecialEvent', target: `/special-events/${eventId}`, headers: basic('admin:wrong') },
    ...{ status: 401, type: problem },
  },
  {
    ...{ operation: 'deleteSpecialEvent', target: `/special-events/${eventId}`, headers: basic('guest:secret') },
    ...{ status: 401, type: problem, body: { type: 'unauthorized', title: 'Only admins delete events.' } },
  },
  { operation: 'deleteSpecialEvent', target: `/special-events/${lost}`, ...notFound },
  {
    ...{ operation: 'buyMuseumTickets', target: '/tickets', send: { ...ticket, email: 'a@b.example' }, status: 201 },
    body: { ...ticket, message: 'Bought.', confirmationCode: 'ticket-event-1' },
  },
  { operation: 'buyMuseumTickets', target: '/tickets', send: { ticketType: 'free' }, ...invalid },
  { operation: 'buyMuseumTickets', target: '/tickets', send: { ...ticket, eventId: lost }, ...notFound },
  {
    ...{ operation: 'getTicketCode', target: `/tickets/${eventId}/qr`, status: 200, type: 'image/png' },
    body: Buffer.from(png),
  },
  { operation: 'getTicketCode', target: '/tickets/1/qr', ...invalid },
  { operation: 'getTicketCode', target: `/tickets/${lost}/qr`, ...notFound },
];

describe('the museum of Redocly, served whole', () => {
  itServesWhole(contract, createMuseum, basic('admin:secret'), exchanges);

  const origin = useOrigin(createMuseum);
  it('is called by the client, which receives the QR code of a ticket as a file', async () => {
    const credentials = { MuseumPlaceholderAuth: { username: 'ada', password: 'secret' } };
    const client = createClient<Contract>({ baseUrl: origin() + values.pathPrefix, contract: values, credentials });
    const path = { ticketId: eventId };
    const { data } = await client.request('get', '/tickets/{ticketId}/qr', { params: { path } });
    expect(data.type).to.equal('image/png');
    expect(new Uint8Array(await data.arrayBuffer())).to.deep.equal(png);
    const params = { path: { ticketId: lost } };
    const error: unknown = await errorOf(client.request('get', '/tickets/{ticketId}/qr', { params }));
    const isExpected = client.isError(error, 'get', '/tickets/{ticketId}/qr') && error.status === 404;
    const title: string | undefined = isExpected ? error.body.title : undefined;
    expect(title).to.equal('Not found.');
  });
});
