import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { place } from '@contract-server/test-support/contract/contract-errors.js';
import { expect } from 'chai';
import { createRequest } from '#dist/create-request.js';
import { createResponseCheck } from '#dist/create-response-check.js';
import { standardHeaders } from '#dist/standard-headers.js';

const contract = new URL('../../test/contract.yaml', import.meta.url);

/** A response of the server under test. */
interface Reply {
  readonly status?: number;
  readonly headers?: IncomingHttpHeaders;
  readonly body?: string | Buffer;
}

const json = { 'content-type': 'application/json' };
const counted = { ...json, 'x-count': '1' };
const limits = { 'x-ratelimit-limit': '1', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '60', ratelimit: 'r=0' };
const pet = { id: 1, name: 'Rex', status: 'sold' };
const getPet = (changes: object = {}, headers: IncomingHttpHeaders = counted): Reply => ({
  headers,
  body: JSON.stringify({ ...pet, ...changes }),
});
const fail = (status: number, body: unknown): Reply => ({ status, headers: json, body: JSON.stringify(body) });

/** Sends a request to a server that replies with the response. Resolves with the message of the check. */
async function violationOf(reply: Reply, sent = 'GET /v1/pets/1', options = {}): Promise<string | undefined> {
  const { status = 200, headers = {}, body = '' } = reply;
  const server = createServer((_, response) => response.writeHead(status, headers).end(body));
  const [method = '', target = ''] = sent.split(' ');
  const request = await createRequest({ contract, server, ...options });
  return request[method.toLowerCase() as 'get'](target).then(
    () => undefined,
    (error: unknown) => (error as Error).message,
  );
}

describe('a response conforms', () => {
  const missing = fail(404, { code: 'pet_not_found', message: 'No pet.' });
  for (const [title, reply, sent] of [
    ['if its body and its headers are valid', getPet({}, { ...counted, 'x-tags': 'dog, cat' })],
    [
      'with an integer beyond 2^53',
      { headers: counted, body: '{"id":9223372036854775807,"name":"A","status":"sold"}' },
    ],
    ['in a schema that contains itself', getPet({ friends: [{ ...pet, owner: { name: null } }] })],
    ['with parameters of its media type', getPet({}, { ...counted, 'content-type': 'Application/JSON;charset=UTF-8' })],
    ['as text', { headers: { ...counted, 'content-type': 'text/csv' }, body: 'id,name' }],
    [
      'as bytes of a range of media types',
      { headers: { ...counted, 'content-type': 'image/png' }, body: Buffer.of(1) },
    ],
    [
      'with headers of HTTP, CORS and helmet',
      getPet({}, { ...counted, 'access-control-allow-origin': '*', vary: 'Origin' }),
    ],
    ['with headers of rate limits, which the contract does not declare', getPet({}, { ...counted, ...limits })],
    ['with a header in JSON', getPet({}, { ...counted, 'x-owner': '{"name":"Ann"}' })],
    ['with an error of its status', missing],
    ['with an error of the range of its status', fail(410, { code: 'pet_sold', message: 'Sold.' })],
    [
      'with the headers of a deprecated operation, by default',
      {
        ...fail(503, { code: 'busy', message: 'Busy.' }),
        headers: { ...json, sunset: 'Thu, 05 Dec 2030 00:00:00 GMT' },
      },
    ],
    ['to HEAD without a body', { headers: counted }, 'HEAD /v1/pets/1'],
    ['to DELETE without a body', { status: 204 }, 'DELETE /v1/pets/1'],
    ['to OPTIONS, which belongs to no operation', { status: 204, headers: { 'x-any': '1' } }, 'OPTIONS /v1/pets/1'],
    ['outside the path prefix', { headers: { 'x-any': '1' }, body: 'OK' }, 'GET /healthz'],
    ['with an error of an unknown route', { status: 404, body: 'None' }, 'GET /v1/owners'],
    ['with an error of an unknown method', { status: 405, body: 'None' }, 'PROPFIND /v1/pets/1'],
  ] as const)
    it(title, async () => {
      expect(await violationOf(reply, sent)).to.equal(undefined);
    });

  it('below another path prefix', async () => {
    expect(await violationOf(getPet(), 'GET /api/pets/1', { basePath: '/api' })).to.equal(undefined);
  });

  it('if it is of a path of contract-server itself, beside operations without a path prefix', async () => {
    for (const path of ['/', '/docs/viewer.js', '/healthz'])
      expect(await violationOf({ body: 'OK' }, `GET ${path}`, { basePath: '' })).to.equal(undefined);
  });

  it('with a header that the options exempt', async () => {
    const reply = getPet({}, { ...counted, 'x-trace': '1' });
    expect(
      await violationOf(reply, undefined, {
        undeclaredHeaders: ['X-Trace', 'Date', 'Connection', 'Transfer-Encoding'],
      }),
    ).to.equal(undefined);
    for (const undeclaredHeaders of [[...standardHeaders, 'X-Tr*'], ['*']])
      expect(await violationOf(reply, undefined, { undeclaredHeaders })).to.equal(undefined);
    expect(await violationOf(reply, undefined, { undeclaredHeaders: [...standardHeaders, 'X-Tri*'] })).to.contain(
      'header x-trace is not declared',
    );
  });

  it('with headers of rate limits only where they are declared, if the contract declares any', async () => {
    const text = readFileSync(contract, 'utf8');
    const changed = text.replace(/^( +)X-Count:/m, '$1X-RateLimit-Limit: { schema: { type: integer } }\n$&');
    const { url } = place({ 'contract.yaml': changed });
    const reply = { headers: { ...json, ...limits, 'x-count': '1' }, body: JSON.stringify(pet) };
    expect(await violationOf(reply, 'GET /v1/pets/1', { contract: url })).to.match(
      /^ +header x-ratelimit-remaining is not declared\n +header x-ratelimit-reset .+\n +header ratelimit is not declared$/m,
    );
  });
});

describe('a response violates the contract', () => {
  for (const [title, reply, expected, sent = 'GET /v1/pets/1'] of [
    ['by its status', { status: 201 }, 'getPet does not declare the status 201: default is for errors'],
    [
      'by its status, without a default response',
      fail(500, {}),
      'deletePet does not declare the status 500, but 200, 204, 404',
      'DELETE /v1/pets/1',
    ],
    ['by success of an unknown operation', {}, 'the contract has no such operation', 'GET /v1/owners'],
    ['by success with a trailing slash', getPet(), 'the contract has no such operation', 'GET /v1/pets/1/'],
    [
      'by its media type',
      { headers: { ...counted, 'content-type': 'text/html' }, body: '<p>' },
      'header content-type text/html is not declared, but application/json; charset=utf-8, text/csv, image/*',
    ],
    [
      'without a media type',
      { headers: { 'x-count': '1' } },
      'header content-type is missing; declared: application/json; charset=utf-8, text/csv, image/*',
    ],
    [
      'by an unknown field',
      getPet({ hash: 1 }),
      'body must NOT have additional properties: hash (additionalProperties)',
    ],
    ['by a field that is writeOnly', getPet({ secret: 'x' }), 'body /secret must not be sent (false schema)'],
    [
      'by a missing field, even if it has a default',
      { headers: counted, body: '{"id":1,"name":"Rex"}' },
      "body must have required property 'status' (required)",
    ],
    ['by the type of a field', getPet({ name: 7 }), 'body /name must be string (type), received 7'],
    [
      'by a field within a field',
      getPet({ friends: [pet, { ...pet, status: 'lost' }] }),
      'body /friends/1/status must be equal to one of the allowed values: available, sold (enum), received "lost"',
    ],
    [
      'by an integer beyond int64',
      { headers: counted, body: '{"id":9223372036854775808,"name":"Rex","status":"sold"}' },
      'body /id must be an integer from -9223372036854775808 to 9223372036854775807 (exactNumber), received ',
    ],
    [
      'by several fields',
      getPet({ name: 'Alexander', owner: {} }),
      'body /name must NOT have more than 5 characters (maxLength), received "Alexander"\n' +
        "  body /owner must have required property 'name' (required)",
    ],
    [
      'by text',
      { headers: { ...counted, 'content-type': 'text/csv' }, body: 'name' },
      'body must match pattern "^id," (pattern), received "name"',
    ],
    [
      'by a body that is not declared',
      { status: 200, body: 'x' },
      'body must be empty: the contract declares no content',
      'DELETE /v1/pets/1',
    ],
    ['by an undeclared header', getPet({}, { ...counted, 'x-trace': '1' }), 'header x-trace is not declared'],
    [
      'by headers of a deprecated operation that its own responses do not declare',
      getPet({}, { ...counted, sunset: 'Thu, 05 Dec 2030 00:00:00 GMT' }),
      'header sunset is not declared',
    ],
    ['without a required header', getPet({}, json), 'header x-count is missing'],
    [
      'by the value of a header',
      getPet({}, { ...counted, 'x-count': '0' }),
      'header x-count must be an integer, at least 1 (exactNumber), received 0',
    ],
    [
      'by a header that is not a plain integer',
      getPet({}, { ...counted, 'x-count': '1e1' }),
      'header x-count must be an integer, at least 1 (exactNumber), received "1e1"',
    ],
    [
      'by an item of a header',
      getPet({}, { ...counted, 'x-tags': 'dog, cow' }),
      'header x-tags /1 must be equal to one of the allowed values: cat, dog (enum), received "cow"',
    ],
    [
      'by a header in JSON',
      getPet({}, { ...counted, 'x-owner': '{"name":7}' }),
      'header x-owner /name must be string (type), received 7',
    ],
    [
      'by a declared header of HTTP',
      getPet({}, { ...counted, etag: 'W/1' }),
      'header etag must match pattern "^"" (pattern), received "W/1"',
    ],
    ['without an error code', fail(404, { message: 'No pet.' }), 'error code is missing'],
    ['by an error code', fail(404, { code: 'lost', message: 'No.' }), 'error code lost is not in x-error-codes'],
    [
      'by the status of a generic error code',
      fail(404, { code: 'gone', message: 'No.' }),
      'error code gone has the status 410',
    ],
    [
      'by the status of an error code',
      fail(503, { code: 'pet_sold', message: 'Sold.' }),
      'error code pet_sold has the status 410',
    ],
  ] as const)
    it(title, async () => {
      const { status = 200 }: Reply = reply;
      const message = await violationOf(reply, sent);
      const start = `${sent} returns ${String(status)}, which the contract does not allow:\n  ${expected}`;
      expect(message?.slice(0, start.length)).to.equal(start);
    });

  it('by JSON that is not valid', async () => {
    const check = await createResponseCheck({ contract });
    const received = { status: 200, headers: counted, text: '{"id":1,"id":2}' };
    expect(() => check('GET', '/v1/pets/1', received)).to.throw('body is not JSON: duplicate property name "id"');
  });

  for (const [method, status, reason] of [
    ['HEAD', 200, 'the method is HEAD'],
    ['DELETE', 204, 'the status is 204'],
  ] as const)
    it(`by a body after ${method} with ${String(status)}, which no HTTP library sends`, async () => {
      const check = await createResponseCheck({ contract });
      const received = { status, headers: method === 'HEAD' ? counted : json, text: '{}' };
      expect(() => check(method, '/v1/pets/1', received)).to.throw(`body must be empty: ${reason}`);
    });

  it('by more fields than a message lists', async () => {
    const fields = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`x${String(index)}`, 1]));
    const message = await violationOf(getPet(fields));
    expect(message?.split('\n')).to.have.lengthOf(22).and.include('  and 10 more');
  });
});
