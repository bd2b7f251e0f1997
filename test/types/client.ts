/**
 * What users of the client can rely on at compile time. Nothing here runs; a line that is marked as an error has to be
 * one.
 */
import {
  type CallResult,
  isPetstoreError,
  type NewPet,
  type Pet,
  type PetstoreClient,
} from '#src/client/petstore-client.js';

declare const client: PetstoreClient;
declare const pet: Pet;
declare const error: unknown;

// Every operation of the contract can be called, with its own parameters, body and result.
export const listed: Promise<{ data: readonly Pet[] }> = client.request('get', '/pets', {
  params: { query: { limit: 1 } },
});
export const created: Promise<{ data: Pet }> = client.request('post', '/pets', {
  body: { name: 'Rex', categoryId: 7 },
});
export const found: Promise<{ data: Pet }> = client.request('get', '/pets/{petId}', {
  params: { path: { petId: 1n } },
});
// @ts-expect-error -- There is no such path.
export const noPath = client.request('get', '/Pets!');
// @ts-expect-error -- There is no such operation.
export const noOperation = client.request('trace', '/pets');
// @ts-expect-error -- petId is required.
export const noParameter = client.request('get', '/pets/{petId}');
// @ts-expect-error -- There is no such parameter.
export const unknownParameter = client.request('get', '/pets', { params: { query: { noSuchParameter: 1 } } });
// @ts-expect-error -- The body is required.
export const missingBody = client.request('post', '/pets');

// Every method returns its data, or with `withResponse` its data and its response.
export const page: Promise<readonly Pet[]> = client.listPets().then(({ pets }) => pets);
export const status: Promise<number> = client
  .createPet({ name: 'Rex', categoryId: 7 })
  .withResponse()
  .then(({ data, response }) => data.id + response.status);
declare const result: CallResult<Pet>;
// @ts-expect-error -- A response may have no request id.
export const requestId: string = result.requestId;

// Integers are honest.
export const id: number = pet.id;
export const categoryId: number | bigint = pet.categoryId;
// @ts-expect-error -- A categoryId beyond 2^53 − 1 is a bigint.
export const narrow: number = pet.categoryId;

// A creation holds what the contract lets it hold.
export const rex: NewPet = { name: 'Rex', categoryId: 9223372036854775807n };
// @ts-expect-error -- The service assigns the id.
export const withId: NewPet = { id: 1, name: 'Rex', categoryId: 7 };
// @ts-expect-error -- No pet is lost.
export const lost: NewPet = { name: 'Rex', categoryId: 7, status: 'lost' };
// @ts-expect-error -- There is no such state to narrow a list to.
export const lostPets = client.pets({ status: 'lost' });

// A failure is narrowed by its code, and may have one that is not known yet.
if (isPetstoreError(error, 'pet_not_found')) {
  const status: 404 = error.status;
  const code: 'pet_not_found' = error.code;
  console.log(status, code);
}
if (isPetstoreError(error, 'operation_removed')) {
  const status: 410 = error.status;
  console.log(status, error.response?.headers.get('Link'));
}
if (isPetstoreError(error, 'rate_limit_exceeded', 'server_busy')) {
  const status: 429 | 503 = error.status;
  // @ts-expect-error -- One of the two codes.
  const code: 'server_busy' = error.code;
  console.log(status, code);
}
if (isPetstoreError(error, 'network_failure')) {
  const status: undefined = error.status;
  console.log(status);
}
if (isPetstoreError(error, 'a_code_to_come')) console.log(error.status?.toFixed());
if (isPetstoreError(error)) {
  const code: string = error.code;
  const status: number | undefined = error.status;
  console.log(code, status);
}
