/**
 * What users of the client can rely on at compile time. Nothing here runs; a line that is marked as an error has to be
 * one.
 */

import type { PetstoreClient } from '#src/client/petstore-client.js';
import { type CallResult, isPetstoreError, type NewPet, type Pet } from '#src/client/petstore-client.js';

declare const client: PetstoreClient;
declare const pet: Pet;
declare const error: unknown;

// Every operation of the contract can be called, with its own parameters, body and result.
const page = { query: { limit: 1 } };
export const listed: Promise<{ data: readonly Pet[] }> = client.request('get', '/pets', { params: page });
const body = { name: 'Rex', categoryId: 7 };
export const created: Promise<{ data: Pet }> = client.request('post', '/pets', { body });
const path = { petId: 1n };
export const found: Promise<{ data: Pet }> = client.request('get', '/pets/{petId}', { params: { path } });
// @ts-expect-error -- There is no such path.
export const noPath = client.request('get', '/Pets!');
// @ts-expect-error -- petId is required.
export const noParameter = client.request('get', '/pets/{petId}');
// @ts-expect-error -- There is no such parameter.
export const unknownParameter = client.request('get', '/pets', { params: { query: { noSuchParameter: 1 } } });
// @ts-expect-error -- The body is required.
export const missingBody = client.request('post', '/pets');

// Every method returns its data, or with `withResponse` its data and its response.
export const pets: Promise<readonly Pet[]> = client.listPets().then(({ pets }) => pets);
declare const result: CallResult<Pet>;
export const withResponse: Promise<typeof result> = client.createPet(body).withResponse();
// @ts-expect-error -- A response may have no request id.
export const requestId: string = result.requestId;

export const categoryId: number | bigint = pet.categoryId;
// @ts-expect-error -- A categoryId beyond 2^53 − 1 is a bigint.
export const narrow: number = pet.categoryId;

export const rex: NewPet = { name: 'Rex', categoryId: 9223372036854775807n };
// @ts-expect-error -- The service assigns the id.
export const withId: NewPet = { id: 1, name: 'Rex', categoryId: 7 };
// @ts-expect-error -- There is no such status.
export const lostPets = client.pets({ status: 'lost' });

// A failure is narrowed by its code, and may have one that is not known yet.
if (isPetstoreError(error, 'operation_removed')) {
  const status: 410 = error.status;
  const code: 'operation_removed' = error.code;
  console.log(status, code, error.response?.headers.get('Link'));
}
if (isPetstoreError(error, 'rate_limit_exceeded', 'server_busy')) {
  const status: 429 | 503 = error.status;
  // @ts-expect-error -- One of the two codes.
  const code: 'server_busy' = error.code;
  console.log(status, code);
}
if (isPetstoreError(error, 'network_failure')) console.log(error.status satisfies undefined);
if (isPetstoreError(error, 'a_code_to_come')) console.log(error.status?.toFixed(), error.code satisfies string);
