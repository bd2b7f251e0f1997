import { expect } from 'chai';
import { contractUrl, readContract } from '#src/contract/contract-source.js';
import { type Api, type ApiCall, createApi } from '#src/contract/create-api.js';
import type { ContractDocument } from '#src/contract/document.js';
import type { Handlers, OperationId } from '#src/contract/types.js';
import { changedContract as changed, type Json } from '../support/changed-contract.js';

type Handler = () => Promise<unknown>;

const { document } = await readContract(contractUrl);
const handler: Handler = () => Promise.resolve('handled');

/** Creates an API; neither document nor handlers are what the types demand, because that is the point. */
function start(contract: unknown, registered: unknown = {}): Promise<Api> {
  return createApi({
    document: contract as ContractDocument,
    isChecked: false,
    handlers: registered as Handlers,
    errorHandlers: { notImplemented: () => 'not implemented' },
  });
}

async function refusalOf(starting: Promise<unknown>): Promise<string> {
  try {
    await starting;
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('It started.');
}

describe('createApi', () => {
  it('rejects a handler for an operation that the contract lacks', async () => {
    expect(await refusalOf(start(document, { 'no operation': handler }))).to.equal(
      'Unknown operationId no operation. Refusing to register handler',
    );
  });

  it('lets the notImplemented handler respond for an operation without a handler', async () => {
    const api = await start({ ...document, security: [] });
    const match = api.router.match('GET', '/v1/store/orders');
    const call: ApiCall = {
      match,
      authentication: 'missing key',
      origin: { budgetId: '', bodyBytes: Buffer.alloc(0) },
    };
    const request = { method: 'GET', path: '/v1/store/orders', query: '', headers: {}, body: undefined };
    expect(await api.handleRequest(request, call)).to.equal('not implemented');
  });

  const getPet = ['paths', '/pets/{petId}', 'get'];
  const requestBody = ['components', 'requestBodies', 'NewPet'];
  const broken: readonly (readonly [
    what: string,
    path: readonly string[],
    value: Json | undefined,
    message: RegExp,
  ])[] = [
    ['a document without paths', ['paths'], undefined, /paths/],
    ['a document without a version', ['info', 'version'], undefined, /version/],
    ['a keyword of OpenAPI 3.1 in the document', ['webhooks'], {}, /webhooks/],
    [
      'a type of OpenAPI 3.1 in a schema',
      ['components', 'schemas', 'Pet', 'type'],
      ['object', 'null'],
      /schemas\/Pet\/type/,
    ],
    ['a word that is misspelt', [...getPet, 'sumary'], 'Get an animal', /sumary/],
    ['an operation without responses', [...getPet, 'responses'], undefined, /responses/],
    [
      'a parameter without a place',
      ['components', 'parameters', 'Limit', 'in'],
      undefined,
      /\/components\/parameters\/Limit/,
    ],
    [
      'a schema with an unknown type',
      ['components', 'schemas', 'NewPet', 'properties', 'name', 'type'],
      'text',
      /name\/type must be/,
    ],
    ['an operation without an id', [...getPet, 'operationId'], undefined, /^GET \/pets\/\{petId\} has no operationId/],
    ['a reference to nothing', [...getPet, 'parameters'], [{ $ref: '#/components/parameters/None' }], /None/],
    [
      'a schema of type number',
      ['components', 'schemas', 'NewPet', 'properties', 'weight'],
      { type: 'number' },
      /type number/,
    ],
    [
      'a pattern that is no regular expression',
      ['components', 'parameters', 'Status', 'schema'],
      { type: 'string', pattern: '(' },
      /Status\/schema\/pattern/,
    ],
    [
      'a deprecation without x-sunset',
      [...getPet, 'x-sunset'],
      undefined,
      /^The deprecated operation getPet lacks .*x-sunset/,
    ],
    [
      'a deprecation without x-deprecated-at',
      [...getPet, 'x-deprecated-at'],
      undefined,
      /^The deprecated operation getPet lacks x-deprecated-at/,
    ],
    [
      'a deprecation without x-successor',
      [...getPet, 'x-successor'],
      undefined,
      /^The deprecated operation getPet lacks .*x-successor/,
    ],
    [
      'a sunset that is no day',
      [...getPet, 'x-sunset'],
      '5 December 2030, noon',
      /is not a day of the form YYYY-MM-DD/,
    ],
    [
      'x-invisible without a pattern',
      ['components', 'schemas', 'NewPet', 'properties', 'name', 'pattern'],
      undefined,
      /^The contract has x-invisible without a pattern/,
    ],
    [
      'a body without x-max-body-bytes',
      [...requestBody, 'x-max-body-bytes'],
      undefined,
      /^The request body of createPet .*x-max-body-bytes/,
    ],
    [
      'a body that is not JSON',
      [...requestBody, 'content'],
      { 'text/plain': { schema: { type: 'string' } } },
      /^The request body of createPet is not application\/json/,
    ],
    [
      'a document without a relative server',
      ['servers'],
      [{ url: 'https://api.petstore.example/v1' }],
      /^The contract has no relative server entry/,
    ],
    [
      'a parameter that the path and the operation both declare',
      ['paths', '/pets/{petId}', 'parameters'],
      [{ name: 'petId', in: 'path', required: true, schema: { type: 'string' } }],
      /^getPet declares a parameter both for itself and for its path/,
    ],
  ];
  for (const [what, path, value, message] of broken) {
    it(`rejects ${what}`, async () => {
      const starting = Promise.resolve().then(() => start(changed(path, value)));
      expect(await refusalOf(starting)).to.match(message);
    });
  }

  it('rejects a path segment that is only partly a parameter', async () => {
    const { '/pets/{petId}': getPetItem, ...others } = document.paths;
    const contract = { ...document, paths: { ...others, '/pets/{petId}.json': getPetItem } };
    expect(await refusalOf(start(contract))).to.match(/^The path segment \{petId\}\.json mixes text and a parameter/);
  });
});

describe('CompiledRouter with 103 operations', () => {
  const item = (...operations: (readonly [method: string, id: string])[]) =>
    Object.fromEntries(
      operations.map(([method, operationId]) => [
        method,
        { operationId, security: [], responses: { 200: { description: 'x' } } },
      ]),
    );
  const parameters = (...names: string[]) => ({
    parameters: names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
  });
  const many = Array.from({ length: 93 }, (_, index) => String(index));
  const paths = {
    '/pets': item(['get', 'listPets'], ['post', 'createPet']),
    '/pets/{id}': { ...item(['get', 'getPet'], ['delete', 'deletePet']), ...parameters('id') },
    '/pets/mine': item(['get', 'listMine']),
    '/pets/{id}/toys/{toy}': { ...item(['get', 'getToy']), ...parameters('id', 'toy') },
    '/pets/mine/toys': item(['get', 'listMyToys']),
    '/{kind}/{id}/toys': { ...item(['get', 'listToys']), ...parameters('kind', 'id') },
    '/head': item(['get', 'getHead'], ['head', 'headHead']),
    ...Object.fromEntries(
      many.map((index) => [`/many/${index}/{id}`, { ...item(['put', `put${index}`]), ...parameters('id') }]),
    ),
  };
  const ids = Object.values(paths).flatMap((entry) =>
    Object.values(entry as Record<string, { operationId?: string }>).flatMap(({ operationId }) => operationId ?? []),
  );
  let api: Api;
  before(async () => {
    const contract = { ...document, paths };
    api = await start(contract, Object.fromEntries(ids.map((id) => [id, handler])));
  });

  it('has them all', () => {
    expect(api.router.getOperations().map(({ operationId }) => operationId))
      .to.have.members(ids as OperationId[])
      .and.have.lengthOf(103);
  });

  const matches: readonly (readonly [request: string, id: string, parameters: Readonly<Record<string, string>>])[] = [
    ['GET /v1/pets', 'listPets', {}],
    ['POST /v1/pets', 'createPet', {}],
    ['GET /v1/pets/7', 'getPet', { id: '7' }],
    ['GET /v1/pets/%2F', 'getPet', { id: '%2F' }],
    ['GET /v1/pets/__proto__', 'getPet', { id: '__proto__' }],
    ['GET /v1/pets/mine', 'listMine', {}],
    ['GET /v1/pets/Mine', 'getPet', { id: 'Mine' }],
    ['HEAD /v1/pets/mine', 'listMine', {}],
    ['HEAD /v1/head', 'headHead', {}],
    ['DELETE /v1/pets/7', 'deletePet', { id: '7' }],
    ['GET /v1/pets/7/toys/ball', 'getToy', { id: '7', toy: 'ball' }],
    ['GET /v1/pets/mine/toys', 'listMyToys', {}],
    ['GET /v1/pets/mine/toys/ball', 'getToy', { id: 'mine', toy: 'ball' }],
    ['GET /v1/pets/7/toys', 'listToys', { kind: 'pets', id: '7' }],
    ['GET /v1/cats/7/toys', 'listToys', { kind: 'cats', id: '7' }],
    ['PUT /v1/many/0/a', 'put0', { id: 'a' }],
    ['PUT /v1/many/92/a', 'put92', { id: 'a' }],
  ];
  for (const [request, id, values] of matches) {
    it(`matches ${request} to ${id}`, () => {
      const [method = '', path = ''] = request.split(' ');
      const match = api.router.match(method, path);
      if (match.kind !== 'operation') throw new Error(match.kind);
      const { operation, params } = match;
      expect({ id: operation.operationId as string, parameters: { ...params } }).to.deep.equal({
        id,
        parameters: values,
      });
    });
  }

  for (const path of [
    '/v1/many',
    '/v1/many/0',
    '/v1/many/0/',
    '/v1/many/93/a',
    '/v1/pets/',
    '/v1/pets/7/toys/',
    '/v1',
    '/v1/',
    '/pets',
    '/v1//7/toys',
  ]) {
    it(`finds no operation for ${path}`, () => {
      expect(api.router.match('GET', path)).to.deep.equal({ kind: 'not found' });
    });
  }

  const allowed: Readonly<Record<string, string>> = {
    '/v1/pets': 'GET, HEAD, OPTIONS, POST',
    '/v1/pets/7': 'DELETE, GET, HEAD, OPTIONS',
    '/v1/pets/mine': 'GET, HEAD, OPTIONS',
    '/v1/many/5/a': 'OPTIONS, PUT',
  };
  for (const [path, allow] of Object.entries(allowed)) {
    it(`allows ${allow} on ${path}`, () => {
      expect(api.router.match('PATCH', path)).to.deep.equal({ kind: 'method not allowed', allow });
      expect(api.router.match('get', path)).to.deep.equal({ kind: 'method not allowed', allow });
    });
  }

  it('runs an operation that needs no key without one', async () => {
    const request = { method: 'GET', path: '/v1/pets', query: '', headers: {}, body: undefined };
    const match = api.router.match(request.method, request.path);
    const call: ApiCall = {
      match,
      authentication: 'missing key',
      origin: { budgetId: '', bodyBytes: Buffer.alloc(0) },
    };
    expect(await api.handleRequest(request, call)).to.equal('handled');
  });
});
