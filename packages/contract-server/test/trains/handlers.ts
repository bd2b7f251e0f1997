import { stringifyJson } from '#src/json/exact-json.js';
import type { Caller, Handlers, Schema } from '#src/openapi/types.js';
import type { Contract } from './generated/contract.js';

export const bookingId = '2f1b3c9e-8f0a-4b6e-9d3c-1a2b3c4d5e6f';
const trip = { id: 1n, from: 'Rome', departure: '2026-12-01T08:00:00Z', platform: null };

/** What handlers received, and from whom. */
export interface Received {
  readonly request: object;
  readonly callers: readonly Caller[];
}

/** The handlers of the contract. @param received is called with the request of each. */
export function createHandlers(received: (call: Received) => void): Handlers<Contract> {
  return {
    'list-trips': (request, { callers }) => {
      received({ request, callers });
      const { query, header } = request;
      // They have defaults, so they are never undefined.
      const price: number = (query.class === 1 ? 39.99 : 19.99) * header['x-seats'];
      const isCheap = query.maxPrice === undefined || price <= query.maxPrice;
      const trips = isCheap && !query.bicycles ? [{ ...trip, price }] : [];
      return Promise.resolve({ status: 200, body: stringifyJson<Trips>(trips) });
    },
    'create-booking': (request, { callers }) => {
      received({ request, callers });
      const { coupon, ...booking } = request.body;
      const notes = { ...booking.notes, coupon };
      const body = stringifyJson<Schema<Contract, 'Booking'>>({ ...booking, id: bookingId, notes });
      return Promise.resolve({ status: 201, body });
    },
    'change booking': (request, { callers }) => {
      received({ request, callers });
      const passengers: number | null = request.body?.passengers ?? null;
      return Promise.resolve({ status: 200, body: stringifyJson({ passengers }) });
    },
    'GET /bookings/{booking-id}': () => Promise.resolve({ status: 200, body: 'Rome', mediaType: 'text/plain' }),
    pay: (request, { callers }) => {
      received({ request, callers });
      const currency: 'eur' | 'gbp' = request.body.currency;
      return Promise.resolve({ status: 200, body: stringifyJson({ ...request.body, currency }) });
    },
  };
}

type Trips = readonly Schema<Contract, 'Trip'>[];
