/** Type errors that the types of this contract must cause. Nothing here runs. */
import { stringifyJson } from '#src/json/exact-json.js';
import type { OperationRequest, OperationResponse, Schema, SchemeName } from '#src/openapi/types.js';
import { sqlite } from '#src/sqlite.js';
import type { Contract } from './generated/contract.js';

// A request has no fields that are read-only, and a response none that are write-only.
declare const creation: OperationRequest<Contract, 'create-booking'>;
// @ts-expect-error -- The service assigns the id.
export const id: string = creation.body.id;
export const coupon: string | undefined = creation.body.coupon;
declare const booking: Schema<Contract, 'Booking'>;
export const assigned: string = booking.id;
// @ts-expect-error -- A response has no coupon.
export const returned: unknown = booking.coupon;

// @ts-expect-error -- The body is optional.
export const body: object = null as unknown as OperationRequest<Contract, 'change booking'>['body'];

// @ts-expect-error -- The media type is application/hal+json.
export const otherType: OperationResponse<Contract, 'create-booking'>['mediaType'] = 'application/json';

// A reference can lead to any part of the document.
export const changes: OperationResponse<Contract, 'change booking'>['body'] = stringifyJson({ passengers: 2 });
// @ts-expect-error -- `passengers` is an integer or null.
export const wrong: OperationResponse<Contract, 'change booking'>['body'] = stringifyJson({ passengers: '2' });

/** A contract that requires no credentials has no security schemes, so a router needs no handlers of them. */
type Open = Omit<Contract, 'security'> & {
  readonly security: { readonly none: readonly []; readonly empty: readonly [readonly []] };
};
export const hasNoSchemes: [SchemeName<Open>] extends [never] ? true : false = true;

// Stores need no method `close`.
export const engine = sqlite((db) => ({ countTrains: () => db.run(() => db.prepare('SELECT 1').get()) }));
