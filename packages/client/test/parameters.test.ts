import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { contractOf } from '@contract-server/core/contract/contract.js';
import type { ContractDocument } from '@contract-server/core/contract/document.js';
import { Links } from '@contract-server/core/contract/links.js';
import { parseJson, stringifyJson } from '@contract-server/core/json/exact-json.js';
import { ApiError } from '@contract-server/core/lib/errors.js';
import { type AnyContract, noValues } from '@contract-server/test-support/clients/any-contract.js';
import { anyJson, echoApp } from '@contract-server/test-support/contract/echo-app.js';
import { expect } from 'chai';
import { extensionTypes } from 'contract-server/generate/extension-types.js';
import { stringify } from 'yaml';
import { createClient, type ParameterStyle } from '#dist/index.js';
import { sendParameters } from '#dist/parameters.js';

type Place = 'path' | 'query' | 'header' | 'cookie';
const text = { type: 'string' };
const list = { type: 'array', items: text };
const numbers = { type: 'array', items: { type: 'integer', format: 'int64' } };
const color = { type: 'object', properties: { R: { type: 'integer' }, name: text, tags: list } };
const plain = { type: 'object', properties: { R: { type: 'integer' }, name: text } };
const awkward = 'ä &=+#?/%2F,;:@$[]|"\'\\ b';
const items = ['a b', awkward, '', '..'];
const rgb = { R: 100, name: awkward };

/** A parameter, how it is declared, and a value that the server reads as it was sent. */
type Case = readonly [place: Place, declared: ParameterStyle, schema: object, value: unknown, received?: unknown];
const cases: readonly Case[] = [
  ['path', {}, text, awkward],
  ['path', {}, { type: 'integer', format: 'int64' }, 9223372036854775807n],
  ['path', {}, list, ['a', awkward, '..']],
  ['path', {}, plain, rgb],
  ['path', { explode: true }, plain, rgb],
  ['path', { content: 'application/json' }, color, { ...rgb, tags: ['..', 'a'] }],
  ['query', {}, text, awkward],
  ['query', {}, text, ''],
  ['query', {}, { type: 'boolean' }, false],
  ['query', {}, text, new Date(0), '1970-01-01T00:00:00.000Z'],
  ['query', {}, list, items],
  ['query', {}, numbers, [1, 9223372036854775807n]],
  ['query', {}, list, []],
  ['query', {}, color, { ...rgb, tags: ['a', 'b,c'] }],
  ['query', { explode: false }, list, items],
  ['query', { explode: false }, plain, rgb],
  ['query', { allowReserved: true }, text, awkward],
  ['query', { allowReserved: true, explode: false }, list, items],
  ['query', { style: 'spaceDelimited', explode: false }, list, ['a', 'b,|&c']],
  ['query', { style: 'pipeDelimited', explode: false }, list, ['a', 'b, &c']],
  ['query', { style: 'pipeDelimited', explode: false }, plain, { R: 1, name: 'a b' }],
  ['query', { style: 'deepObject', explode: true }, color, { ...rgb, tags: ['a', awkward] }],
  ['query', { content: 'application/json' }, color, { ...rgb, tags: [] }],
  ['header', {}, text, 'a, b=c'],
  ['header', {}, list, ['a', 'b c']],
  ['header', {}, plain, { R: 1, name: 'a b' }],
  ['header', { explode: true }, plain, { R: 1, name: 'a b' }],
  ['header', { content: 'application/json' }, color, { R: 1, tags: ['a,b'] }],
  ['cookie', {}, text, awkward],
  ['cookie', { explode: false }, list, ['a', awkward]],
  ['cookie', { explode: false }, plain, rgb],
  ['cookie', { content: 'application/json' }, color, { ...rgb, tags: [';'] }],
];

const operations = cases.map(([place, { content, ...declared }, schema], index) => {
  const media = content === undefined ? { schema } : { content: { [content]: { schema } } };
  const parameters = [{ name: 'value', in: place, required: place === 'path', ...declared, ...media }];
  const path = place === 'path' ? `/${String(index)}/{value}` : `/${String(index)}`;
  return [path, { get: { operationId: `echo${String(index)}`, parameters, responses: anyJson } }] as const;
});
const document = { openapi: '3.1.1', info: { title: 'Echo', version: '1' }, paths: Object.fromEntries(operations) };

describe('a parameter of the client', () => {
  let server: Server;
  before(async () => {
    const ids = operations.map(([, { get }]) => get.operationId);
    server = createServer(await echoApp(stringify(document), {}, ids)).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
  });
  after(() => server.close().closeAllConnections());

  for (const [index, [place, declared, schema, value, received = value]] of cases.entries())
    it(`is read as it was sent: ${place} ${JSON.stringify(declared)} ${stringifyJson(schema)} #${String(index)}`, async () => {
      const baseUrl = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
      const [path] = operations[index] ?? [''];
      const styles = { [`get ${path}`]: { [place]: { value: declared } } };
      const { request: call } = createClient<AnyContract>({ baseUrl, contract: { ...noValues, styles } });
      const options = { params: { [place]: { value } } };
      const { data } = await (call as unknown as (...args: readonly unknown[]) => Promise<{ data: unknown }>)(
        'get',
        path,
        options,
      );
      const expected = Array.isArray(value) && value.length === 0 ? {} : { value: received };
      expect(parseJson(Buffer.from(stringifyJson((data as Record<Place, unknown>)[place])))).to.deep.equal(
        parseJson(Buffer.from(stringifyJson(expected))),
      );
    });
});

describe('the text of a parameter', () => {
  const blue = ['blue', 'a.b;c'];
  for (const [declared, value, path] of [
    [{ style: 'label' }, 'blue', '.blue'],
    [{ style: 'label' }, blue, '.blue,a%2Eb%3Bc'],
    [{ style: 'label', explode: true }, blue, '.blue.a%2Eb%3Bc'],
    [{ style: 'label', explode: true }, { R: 1, G: 2 }, '.R=1.G=2'],
    [{ style: 'label' }, { R: 1, G: 2 }, '.R,1,G,2'],
    [{ style: 'matrix' }, 'blue', ';color=blue'],
    [{ style: 'matrix' }, blue, ';color=blue,a.b%3Bc'],
    [{ style: 'matrix', explode: true }, blue, ';color=blue;color=a.b%3Bc'],
    [{ style: 'matrix' }, { R: 1, G: 2 }, ';color=R,1,G,2'],
    [{ style: 'matrix', explode: true }, { R: 1, G: 2 }, ';R=1;G=2'],
  ] as const)
    it(`is ${path} in the style ${JSON.stringify(declared)}`, () => {
      expect(sendParameters('/{color}', { path: { color: value } }, { path: { color: declared } }).path).to.equal(
        `/${path}`,
      );
    });

  const send = (place: Place, value: unknown, declared: ParameterStyle) => () =>
    sendParameters(place === 'path' ? '/{id}' : '/', { [place]: { id: value } }, { [place]: { id: declared } });
  const refused: readonly (readonly [Place, unknown, ParameterStyle, string])[] = [
    ...['.', '..', '%2e', '%2E%2e', '.%2e'].map((value) => ['path', value, {}, 'must not be'] as const),
    ['path', ['..'], {}, 'A path parameter must not be ..: it would lead to another path.'],
    ['path', '', {}, 'id is missing: it is undefined, null or empty.'],
    ['path', undefined, {}, 'id is missing'],
    ['path', [], {}, 'id is missing'],
    ['query', [null], {}, 'The query parameter id has null in it, which form cannot express.'],
    ['query', { a: { b: 1 } }, {}, 'has object in it, which form cannot express'],
    ['query', Symbol(), {}, 'has symbol in it'],
    ['query', NaN, {}, 'NaN cannot be sent.'],
    ['query', [2 ** 53], {}, 'Use a bigint.'],
    ['query', ['a b'], { style: 'spaceDelimited', explode: false }, 'a delimiter of spaceDelimited, which cannot be'],
    ['query', ['a|b'], { style: 'pipeDelimited', explode: false }, 'a delimiter of pipeDelimited'],
    ['query', { a: 1 }, { style: 'pipeDelimited', explode: true }, 'an object, which pipeDelimited cannot explode'],
    ['query', ['a'], { style: 'deepObject' }, 'an array, which deepObject cannot express'],
    ['header', ['a,b'], {}, 'a delimiter of simple, which cannot be encoded'],
    ['cookie', ['a'], {}, 'several values, which have no syntax in a cookie unless explode is false.'],
  ];
  for (const [place, value, declared, message] of refused)
    it(`is refused in the ${place}: ${String(value)} ${JSON.stringify(declared)} ${message}`, () => {
      expect(send(place, value, declared)).to.throw(message);
    });

  it('may contain dots beside other text', () => {
    const path = (id: string, template = '/{id}') => sendParameters(template, { path: { id } }).path;
    expect([path('...'), path('.a'), path('..', '/{id}.json'), path('a/..')]).to.deep.equal([
      ...['/...', '/.a', '/...json', '/a%2F..'],
    ]);
  });
});

describe('the styles that `generate` writes for clients', () => {
  it('are those that differ from the default of their place', () => {
    const parameters = [
      { name: 'a', in: 'query', schema: list },
      { name: 'b', in: 'query', schema: list, explode: false },
      { name: 'c-d', in: 'query', style: 'pipeDelimited', schema: list, allowReserved: true },
      { name: 'e', in: 'query', style: 'deepObject', explode: true, schema: color },
      { name: 'f', in: 'header', content: { 'application/json': { schema: color } } },
    ];
    const contract = {
      ...document,
      'x-error-codes': {},
      paths: { '/a': { get: { operationId: 'a', parameters, responses: {} } } },
    };
    const [, styles] =
      /readonly styles: \{\n(.*)\n/.exec(extensionTypes(contractOf(contract as unknown as ContractDocument))) ?? [];
    expect(styles).to.equal(
      '    readonly "get /a": { readonly query: { readonly b: { readonly explode: false }; ' +
        `readonly "c-d": { readonly style: 'pipeDelimited'; readonly allowReserved: true }; ` +
        `readonly e: { readonly style: 'deepObject' } }; ` +
        `readonly header: { readonly f: { readonly content: 'application/json' } } };`,
    );
  });
});

describe('links.to', () => {
  const links = new Links(contractOf({ ...document, 'x-error-codes': {} }), Date.now, 'https://café.example/v1');

  it('rejects a value that would lead to another path, which is usually one of a client', () => {
    for (const [value, shown] of [['.'], ['..'], ['%2e'], ['%2E%2e'], ['', 'empty']] as const)
      expect(() => links.to('echo0', { value }))
        .to.throw(ApiError, `\`value\` of echo0 must not be ${shown ?? `\`${value}\``}: it would lead to another path.`)
        .with.property('code', 'invalid_request');
    expect(() => links.to('echo0', {})).to.throw(TypeError, 'The URL of echo0 needs the path parameter value.');
  });

  it('percent-encodes all of the URL', () => {
    const values = { value: '.本/?' };
    expect(links.to('echo0', values, { 'a[本]&': '–=' })).to.equal(
      'https://caf%C3%A9.example/v1/0/.%E6%9C%AC%2F%3F?a%5B%E6%9C%AC%5D%26=%E2%80%93%3D',
    );
  });
});
