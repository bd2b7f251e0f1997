/**
 * Type errors that the handlers' types must cause. Nothing here runs: `tsc` fails if a marked line compiles. Next to
 * each error is valid code, which shows that the error is the intended one.
 */
import { type Json, stringifyJson } from '#contract-server/json/exact-json.js';
import {
  ApiError,
  type ErrorCode,
  type Handler,
  type Handlers,
  type OperationRequest,
  type OperationResponse,
} from '#src/contract.js';
import type { Pet } from '#src/pets/pet-store.js';

declare const listPets: Handler<'listPets'>;
declare const createPet: Handler<'createPet'>;
declare const getPet: Handler<'getPet'>;
// Adding an operation needs no change here.
type ThreeHandlers = Pick<Handlers, 'listPets' | 'createPet' | 'getPet'>;
declare const body: Json<Pet>;

// Every operation with a successful response has a handler, and every handler an operation of the contract.
export const complete: ThreeHandlers = { listPets, createPet, getPet };
// @ts-expect-error -- getPet is missing.
export const incomplete: ThreeHandlers = { listPets, createPet };
// @ts-expect-error -- listOrders declares no successful response.
export type ReservedHandler = Handlers['listOrders'];
// @ts-expect-error -- An operationId has no blank.
export const superfluous: ThreeHandlers = { listPets, createPet, getPet, 'no operation': getPet };
// @ts-expect-error -- These are handlers of other operations.
export const swapped: ThreeHandlers = { listPets, createPet: getPet, getPet: createPet };

// A response has a status that the contract declares for the operation, with the body declared for the status.
export const found: OperationResponse<'getPet'> = { status: 200, body };
// @ts-expect-error -- getPet does not return 201.
export const created: OperationResponse<'getPet'> = { status: 201, body };
// @ts-expect-error -- listPets returns an array.
export const single: OperationResponse<'listPets'> = { status: 200, body };
export const plain: OperationResponse<'getPet'> = { status: 200, body: { id: 1, name: 'Rex', categoryId: 7n } };
// @ts-expect-error -- A Pet has no age.
export const aged: OperationResponse<'getPet'> = { status: 200, body: { id: 1, name: 'Rex', categoryId: 7, age: 3 } };
// @ts-expect-error -- A Pet has a name.
export const nameless: OperationResponse<'getPet'> = { status: 200, body: { id: 1, categoryId: 7 } };
// @ts-expect-error -- A body is the JSON text of a Pet, not any string.
export const anyText: OperationResponse<'getPet'> = { status: 200, body: '{}' };
// @ts-expect-error -- The response has a body.
export const bodiless: OperationResponse<'getPet'> = { status: 200 };

// A body has the fields that the contract declares, no more and no fewer.
const fields = { id: 1, name: 'Rex', categoryId: 9007199254740993n } as const;
export const whole: Json<Pet> = stringifyJson<Pet>({ ...fields, status: 'sold' });
// @ts-expect-error -- A Pet has no age.
export const tooMany: Json<Pet> = stringifyJson<Pet>({ ...fields, age: 3 });
// @ts-expect-error -- A Pet has a name.
export const tooFew: Json<Pet> = stringifyJson<Pet>({ id: 1, categoryId: 7 });
// @ts-expect-error -- PetStatus has no value 'lost'.
export const noStatus: Json<Pet> = stringifyJson<Pet>({ ...fields, status: 'lost' });

// A response has only declared headers.
const replayed = { 'Idempotent-Replayed': 'true' } as const;
export const declared: OperationResponse<'createPet'> = { status: 201, body, headers: { ...replayed, Location: '/1' } };
// @ts-expect-error -- createPet returns no Link.
export const linked: OperationResponse<'createPet'> = { status: 201, body, headers: { Link: '</>; rel="next"' } };

// A handler receives declared values only: with defaults, wide integers as bigint, and headers in lower case.
declare const listCall: OperationRequest<'listPets'>;
declare const createCall: OperationRequest<'createPet'>;
declare const getCall: OperationRequest<'getPet'>;
export const limit: number = listCall.query.limit;
export const categoryId: number | bigint = createCall.body.categoryId;
export const petId: number | bigint = getCall.path.petId;
export const idempotencyKey: string | undefined = createCall.header['idempotency-key'];
// @ts-expect-error -- The header may be absent.
export const idempotencyKeyAlways: string = createCall.header['idempotency-key'];
// @ts-expect-error -- createPet declares no such header: a handler does not receive the API key.
export const authorization: unknown = createCall.header.authorization;
// @ts-expect-error -- listPets has no parameter page.
export const page: unknown = listCall.query.page;
// @ts-expect-error -- A client does not send an id.
export const id: unknown = createCall.body.id;
// @ts-expect-error -- The filter has no default, so it may be absent.
export const filter: string = listCall.query.status;
// @ts-expect-error -- A validated body is read-only.
createCall.body.name = 'Mia';

// A handler receives its caller, who has an API key, the quota and the bytes of the body, but not the response.
export const ofCaller: Handler<'getPet'> = (_call, { caller, callers, bodyBytes }) =>
  Promise.reject(new ApiError('pet_not_found', `${caller.id} ${callers.apiKey.id} ${String(bodyBytes.length)}`));
// @ts-expect-error -- A request may have no quota.
export const ofQuota: Handler<'getPet'> = (_call, { quotaId }) => Promise.reject(new TypeError(quotaId.trim()));
// @ts-expect-error -- A handler does not receive the response.
export const ofResponse: Handler<'getPet'> = (_call, { response }) => Promise.reject(new TypeError(String(response)));

// An ApiError has a code of the contract's x-error-codes.
export const known: ErrorCode = new ApiError('pet_not_found', 'No pet has the id 42.').code;
// @ts-expect-error -- The contract has no code `no code`.
export const unknown = new ApiError('no code', 'No pet has the id 42.');
