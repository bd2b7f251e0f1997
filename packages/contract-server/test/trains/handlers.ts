import type { Caller, Handlers } from '@contract-server/core/types/types.js';
import type { Contract } from './generated/contract.js';

export const bookingId = '2f1b3c9e-8f0a-4b6e-9d3c-1a2b3c4d5e6f';
const trip = { id: 1n, from: 'Rome', departure: '2026-12-01T08:00:00Z', platform: null };

interface NamedCaller extends Caller {
  readonly name: string;
}

/** What the security handlers return, by scheme. */
export interface Callers {
  readonly station: NamedCaller;
  readonly passenger: NamedCaller;
}

/** What handlers received, and from whom. */
export interface Received {
  readonly request: object;
  readonly callers: { readonly [Name in keyof Callers]?: Callers[Name] | undefined };
}

/** The handlers of the contract. @param received is called with the request of each. */
export function createHandlers(received: (call: Received) => void): Handlers<Contract, Callers> {
  return {
    'list-trips': (request, { callers }) => {
      received({ request, callers });
      const { query, header } = request;
      // They have defaults, so they are never undefined.
      const price: number = (query.class === 1 ? 39.99 : 19.99) * header['x-seats'];
      const isCheap = query.maxPrice === undefined || price <= query.maxPrice;
      const trips = isCheap && !query.bicycles ? [{ ...trip, price }] : [];
      return Promise.resolve({ status: 200, body: trips });
    },
    'create-booking': (request, { callers }) => {
      received({ request, callers });
      const { coupon, ...booking } = request.body;
      const notes = { ...booking.notes, coupon };
      return Promise.resolve({ status: 201, body: { ...booking, id: bookingId, notes } });
    },
    'change booking': (request, { callers }) => {
      received({ request, callers });
      const passengers: number | null = request.body?.passengers ?? null;
      return Promise.resolve({ status: 200, body: { passengers } });
    },
    'GET /bookings/{booking-id}': () => Promise.resolve({ status: 200, body: 'Rome', mediaType: 'text/plain' }),
    pay: (request, { callers }) => {
      received({ request, callers });
      const currency: 'eur' | 'gbp' = request.body.currency;
      return Promise.resolve({ status: 200, body: { ...request.body, currency } });
    },
  };
}
