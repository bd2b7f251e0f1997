import { expect } from 'chai';
import type { RequestState } from '#src/openapi/create-api.js';
import { changedContract as changed, type Json } from '../support/contract/changed-contract.js';
import { document, handler, startApi } from '../support/contract/start-api.js';

async function startErrorOf(starting: Promise<unknown>): Promise<string> {
  try {
    await starting;
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('It started.');
}

describe('createApi', () => {
  it('rejects a handler for an operation that the contract lacks', async () => {
    expect(await startErrorOf(startApi(document, { 'no operation': handler }))).to.equal(
      'Unknown operationId no operation. Refusing to register handler',
    );
  });

  it('calls the notImplemented handler for an operation without a handler', async () => {
    const api = await startApi({ ...document, security: [] });
    const match = api.router.match('GET', '/v1/store/orders');
    const call: RequestState = {
      match,
      isAuthorized: false,
      quota: undefined,
      body: { bytes: Buffer.alloc(0) },
    };
    const request = { method: 'GET', path: '/v1/store/orders', query: '', headers: {}, body: undefined };
    expect(await api.handleRequest(request, call)).to.equal('not implemented');
  });

  const getPet = ['paths', '/pets/{petId}', 'get'];
  const requestBody = ['paths', '/pets', 'post', 'requestBody'];
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
    ['a misspelled field', [...getPet, 'sumary'], 'Get a pet', /sumary/],
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
      'a successor that does not exist',
      [...getPet, 'x-successor'],
      'listPet',
      /^x-successor of getPet: the contract has no operation listPet/,
    ],
    [
      'a successor whose URL depends on the request, or is removed too',
      [...getPet, 'x-successor'],
      'getPet',
      /^x-successor of getPet: getPet is deprecated or has a path parameter/,
    ],
    [
      'a sunset that is no day',
      [...getPet, 'x-sunset'],
      '5 December 2030, noon',
      /^Deprecation of getPet: .* is not a day of the form YYYY-MM-DD/,
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
      const starting = Promise.resolve().then(() => startApi(changed(path, value)));
      expect(await startErrorOf(starting)).to.match(message);
    });
  }

  it('rejects a path segment that contains text and a parameter', async () => {
    const { '/pets/{petId}': getPetItem, ...others } = document.paths;
    const contract = { ...document, paths: { ...others, '/pets/{petId}.json': getPetItem } };
    expect(await startErrorOf(startApi(contract))).to.match(
      /^The path segment \{petId\}\.json mixes text and a parameter/,
    );
  });
});
