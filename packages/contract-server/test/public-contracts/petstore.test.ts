/* eslint-disable @typescript-eslint/require-await -- a handler is async, as in an application */

import { createClient } from '@contract-server/client/index.js';
import { errorOf } from '@contract-server/test-support/error-of.js';
import { expect } from 'chai';
import { createRouter, errorsOf, type Handlers, stringifyJson } from '#src/index.js';
import { type Contract, contract as values } from './generated/petstore.js';
import { type Exchange, itServesWhole, useOrigin } from './whole-contract.js';

const contract = new URL('../../../test/public-contracts/petstore.yaml', import.meta.url);
const ApiError = errorsOf<Contract>();
const rex = { id: 1, name: 'Rex', photoUrls: ['a.png'], status: 'sold' } as const;
const rexXml = '<pet><name>Rex</name><photoUrls><photoUrl>a.png</photoUrl></photoUrls></pet>';
const order = { id: 9007199254740993n, petId: 1, quantity: 2, complete: false, status: 'placed' } as const;
const ann = { username: 'ann', email: 'ann@example.com' };
const xml = 'application/xml';

function requireFound(id: number | bigint | string): void {
  if (id === 404 || id === 'none') throw new ApiError('not_found', 'Not found.');
}

/** An operation whose body is XML returns XML. */
const pet = { status: 200, body: rex } as const;
const petInXml = { status: 200, body: rexXml, mediaType: xml } as const;

const handlers: Handlers<Contract> = {
  updatePet: async ({ body, mediaType }) => {
    if (mediaType === xml) return petInXml;
    requireFound(body.id ?? 0);
    if (body.name === '') throw new ApiError('unprocessable_entity', 'A pet has a name.');
    return { status: 200, body };
  },
  addPet: async ({ body, mediaType }) => {
    if (mediaType === xml) return body === rexXml ? petInXml : { status: 422 };
    if (body.name === '') throw new ApiError('unprocessable_entity', 'A pet has a name.');
    return { status: 200, body };
  },
  findPetsByStatus: async ({ query }) => ({ status: 200, body: [{ ...rex, status: query.status }] }),
  findPetsByTags: async ({ query }) => ({
    status: 200,
    body: [{ ...rex, tags: (query.tags ?? []).map((name) => ({ name })) }],
  }),
  getPetById: async ({ path }) => {
    requireFound(path.petId);
    return path.petId === 2 ? petInXml : pet;
  },
  updatePetWithForm: async ({ path, query: { name = rex.name } }) => ({
    status: 200,
    body: { ...rex, id: path.petId, name },
  }),
  deletePet: async () => ({ status: 200 }),
  uploadFile: async ({ path, query, body }) => {
    requireFound(path.petId);
    if (body === undefined) throw new ApiError('bad_request', 'No file.');
    return { status: 200, body: { code: body.size, message: query.additionalMetadata ?? '' } };
  },
  getInventory: async (_request, { caller }) => ({ status: 200, body: { sold: caller.id.length } }),
  placeOrder: async ({ body, mediaType }) => {
    if (body === undefined || mediaType === xml) return { status: 200, body: order };
    if (body.quantity === 0) throw new ApiError('unprocessable_entity', 'Order at least one.');
    return { status: 200, body };
  },
  getOrderById: async ({ path }) => {
    requireFound(path.orderId);
    return { status: 200, body: { ...order, id: path.orderId } };
  },
  deleteOrder: async ({ path }) => {
    requireFound(path.orderId);
    return { status: 200 };
  },
  createUser: async ({ body }) => ({ status: 200, body: typeof body === 'object' ? body : ann }),
  createUsersWithListInput: async ({ body }) => ({ status: 200, body: body?.[0] ?? ann }),
  loginUser: async ({ query: { username = 'none', password } }) => {
    if (password !== 'secret') throw new ApiError('bad_request', 'Invalid name or password.');
    const headers = { 'X-Rate-Limit': '5000', 'X-Expires-After': '2030-01-01T00:00:00Z' };
    return { status: 200, body: stringifyJson(`session of ${username}`), headers };
  },
  logoutUser: async () => ({ status: 200 }),
  getUserByName: async ({ path }) => {
    requireFound(path.username);
    return { status: 200, body: { ...ann, ...path } };
  },
  updateUser: async ({ path }) => {
    requireFound(path.username);
    return { status: 200 };
  },
  deleteUser: async ({ path }) => {
    requireFound(path.username);
    return { status: 200 };
  },
};

function createPetstore() {
  const security = {
    api_key: (key: string) => (key === 'special-key' ? { id: 'ann' } : undefined),
    petstore_auth: (token: string) => ({ id: 'ann', scopes: token.split(',') }),
  };
  return createRouter<Contract>()({ contract, security, handlers, validateResponses: true });
}

const token = { Authorization: 'Bearer read:pets,write:pets' };
const key = { api_key: 'special-key' };
const inXml = { ...token, 'Content-Type': xml };
const inForm = { ...token, 'Content-Type': 'application/x-www-form-urlencoded' };
const file = { ...token, 'Content-Type': 'application/octet-stream' };
/** Its errors have no body. */
const bad = { status: 400, body: {} };
const lost = { status: 404, body: {} };
const invalid = { status: 422, body: {} };

const exchanges: readonly Exchange[] = [
  { operation: 'updatePet', target: '/pet', send: rex, status: 200, body: rex },
  { operation: 'updatePet', target: '/pet', headers: inXml, send: rexXml, status: 200, type: xml, body: rexXml },
  {
    ...{ operation: 'updatePet', target: '/pet', headers: inForm, send: 'name=Mia&photoUrls=a&photoUrls=b&id=3' },
    ...{ status: 200, body: { name: 'Mia', photoUrls: ['a', 'b'], id: 3 } },
  },
  { operation: 'updatePet', target: '/pet', send: { name: 'Rex' }, ...bad },
  { operation: 'updatePet', target: '/pet', send: { ...rex, id: 404 }, ...lost },
  { operation: 'updatePet', target: '/pet', send: { ...rex, name: '' }, ...invalid },
  { operation: 'updatePet', target: '/pet', headers: {}, send: rex, status: 401, body: {} },
  { operation: 'addPet', target: '/pet', send: rex, status: 200, body: rex },
  { operation: 'addPet', target: '/pet', headers: inXml, send: rexXml, status: 200, type: xml, body: rexXml },
  { operation: 'addPet', target: '/pet', send: { ...rex, status: 'lost' }, ...bad },
  { operation: 'addPet', target: '/pet', headers: inXml, send: '<none/>', ...invalid },
  {
    ...{ operation: 'addPet', target: '/pet', headers: { Authorization: 'Bearer read:pets' }, send: rex },
    ...{ status: 403, body: {} },
  },
  {
    ...{ operation: 'findPetsByStatus', target: '/pet/findByStatus', status: 200 },
    body: [{ ...rex, status: 'available' }],
  },
  { operation: 'findPetsByStatus', target: '/pet/findByStatus?status=lost', ...bad },
  {
    ...{ operation: 'findPetsByTags', target: '/pet/findByTags?tags=a&tags=b', status: 200 },
    body: [{ ...rex, tags: [{ name: 'a' }, { name: 'b' }] }],
  },
  { operation: 'findPetsByTags', target: '/pet/findByTags?tag=a', ...bad },
  { operation: 'getPetById', target: '/pet/1', headers: key, status: 200, body: rex },
  { operation: 'getPetById', target: '/pet/2', status: 200, type: xml, body: rexXml },
  { operation: 'getPetById', target: '/pet/x', ...bad },
  { operation: 'getPetById', target: '/pet/404', ...lost },
  {
    ...{ operation: 'updatePetWithForm', target: '/pet/7?name=Mia', status: 200 },
    body: { ...rex, id: 7, name: 'Mia' },
  },
  { operation: 'updatePetWithForm', target: '/pet/x', ...bad },
  { operation: 'deletePet', target: '/pet/1', headers: { ...token, ...key }, status: 200, body: {} },
  { operation: 'deletePet', target: '/pet/x', ...bad },
  {
    ...{ operation: 'uploadFile', target: '/pet/1/uploadImage?additionalMetadata=a', headers: file, send: 'bytes' },
    ...{ status: 200, body: { code: 5, message: 'a' } },
  },
  { operation: 'uploadFile', target: '/pet/1/uploadImage', ...bad },
  { operation: 'uploadFile', target: '/pet/404/uploadImage', headers: file, send: 'bytes', ...lost },
  { operation: 'getInventory', target: '/store/inventory', headers: key, status: 200, body: { sold: 3 } },
  { operation: 'placeOrder', target: '/store/order', send: { quantity: 1 }, status: 200, body: { quantity: 1 } },
  { operation: 'placeOrder', target: '/store/order', send: { status: 'lost' }, ...bad },
  { operation: 'placeOrder', target: '/store/order', send: { quantity: 0 }, ...invalid },
  {
    ...{ operation: 'getOrderById', target: '/store/order/5', status: 200 },
    body: { ...order, id: 5 },
  },
  { operation: 'getOrderById', target: '/store/order/x', ...bad },
  { operation: 'getOrderById', target: '/store/order/404', ...lost },
  { operation: 'deleteOrder', target: '/store/order/5', status: 200, body: {} },
  { operation: 'deleteOrder', target: '/store/order/x', ...bad },
  { operation: 'deleteOrder', target: '/store/order/404', ...lost },
  { operation: 'createUser', target: '/user', send: ann, status: 200, body: ann },
  { operation: 'createUser', target: '/user', send: { id: 'x' }, ...bad },
  { operation: 'createUsersWithListInput', target: '/user/createWithList', send: [ann], status: 200, body: ann },
  {
    ...{ operation: 'loginUser', target: '/user/login?username=ann&password=secret', status: 200 },
    body: 'session of ann',
  },
  { operation: 'loginUser', target: '/user/login', ...bad },
  { operation: 'logoutUser', target: '/user/logout', status: 200, body: {} },
  { operation: 'getUserByName', target: '/user/bob', status: 200, body: { ...ann, username: 'bob' } },
  { operation: 'getUserByName', target: '/user/%ff', ...bad },
  { operation: 'getUserByName', target: '/user/none', ...lost },
  { operation: 'updateUser', target: '/user/ann', send: ann, status: 200, body: {} },
  { operation: 'updateUser', target: '/user/ann', send: { id: 'x' }, ...bad },
  { operation: 'updateUser', target: '/user/none', send: ann, ...lost },
  { operation: 'deleteUser', target: '/user/ann', status: 200, body: {} },
  { operation: 'deleteUser', target: '/user/%ff', ...bad },
  { operation: 'deleteUser', target: '/user/none', ...lost },
];

describe('swagger-petstore 3.0, served whole', () => {
  itServesWhole(contract, createPetstore, token, exchanges);

  const origin = useOrigin(createPetstore);
  it('is called by the client, with an API key or a token, in JSON and XML', async () => {
    const baseUrl = origin() + values.pathPrefix;
    const credentials = { api_key: 'special-key', petstore_auth: 'read:pets,write:pets' };
    const client = createClient<Contract>({ baseUrl, contract: values, credentials });
    expect((await client.request('get', '/store/inventory')).data).to.deep.equal({ sold: 3 });
    const read = (petId: number) => client.request('get', '/pet/{petId}', { params: { path: { petId } } });
    expect((await read(1)).data).to.deep.equal(rex);
    expect((await read(2)).data).to.equal(rexXml);
    const headers = { 'Content-Type': xml } as const;
    expect((await client.request('post', '/pet', { headers, body: rexXml })).data).to.equal(rexXml);
    const { data } = await client.request('get', '/store/order/{orderId}', { params: { path: { orderId: 1 } } });
    expect(data).to.deep.equal({ ...order, id: 1 });
    const error: unknown = await errorOf(read(404));
    expect(client.isError(error, 'get', '/pet/{petId}')).to.equal(true);
    expect(error).to.include({ code: 'http_error', status: 404 }).and.not.have.any.keys('body');
  });
});
