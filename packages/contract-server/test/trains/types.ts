/** Type errors that the types of this contract must cause. Nothing here runs. */
import { stringifyJson } from '@contract-server/core/json/exact-json.js';
import type {
  Caller,
  HandlerContext,
  OperationId,
  OperationRequest,
  OperationResponse,
  Schema,
  SchemeName,
} from '@contract-server/core/types/types.js';
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

interface Station extends Caller {
  readonly platforms: number;
}
interface Passenger extends Caller {
  readonly email: string;
}
interface Callers {
  readonly station: Station;
  readonly passenger: Passenger;
}
type Context<Id extends OperationId<Contract>> = HandlerContext<Contract, Id, Callers>;

// One of several schemes: the caller is one of theirs.
declare const listing: Context<'list-trips'>;
export const either: Station | Passenger = listing.caller;
export const station: Station | undefined = listing.callers.station;
// @ts-expect-error -- The caller may be a passenger.
export const platforms: keyof typeof listing.caller = 'platforms';
// @ts-expect-error -- The station may be absent.
export const alwaysStation: Station = listing.callers.station;

// Several schemes: none of them is the caller.
declare const change: Context<'change booking'>;
export const both: readonly [Station, Passenger] = [change.callers.station, change.callers.passenger];
// @ts-expect-error -- It would be one of two.
export const only: keyof Context<'change booking'> = 'caller';

// An operation without security has no caller.
declare const reading: Context<'GET /bookings/{booking-id}'>;
export const nobody: undefined = reading.caller;
// @ts-expect-error -- It has no scheme.
export const noScheme: unknown = reading.callers.station;

// Without types of callers, each is a Caller.
export const unnamed: Caller = null as unknown as HandlerContext<Contract, 'create-booking'>['caller'];
/** A contract that requires no credentials has no security schemes, so a router needs no handlers of them. */
type Open = Omit<Contract, 'security'> & {
  readonly security: { readonly none: readonly []; readonly empty: readonly [readonly []] };
};
export const hasNoSchemes: [SchemeName<Open>] extends [never] ? true : false = true;

// Stores need no method `close`.
export const engine = sqlite((db) => ({ countTrains: () => db.run(() => db.prepare('SELECT 1').get()) }));
