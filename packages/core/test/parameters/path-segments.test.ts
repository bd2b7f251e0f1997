import { createServer } from 'node:http';
import { sendRaw } from '@contract-server/test-support/clients/raw-connection.js';
import { anyJson, echoApp, echoContract } from '@contract-server/test-support/contract/echo-app.js';
import { listen } from '@contract-server/test-support/servers/listen.js';
import { expect } from 'chai';
import { normalizedTarget } from 'contract-server/http/wire/request-target.js';
import fc from 'fast-check';
import supertest from 'supertest';
import { compileSegment, type Mixture, matchMixture, segmentProblem } from '#dist/contract/path-segments.js';

const match = (template: string, segment: string) => matchMixture(compileSegment(template).mixture as Mixture, segment);

describe('a path segment with text and parameters', () => {
  const table: readonly (readonly [template: string, segment: string, values: readonly string[] | undefined])[] = [
    ['{id}.json', '7.json', ['7']],
    ['{id}.json', 'a.json.json', ['a.json']],
    ['{id}.json', '.json', undefined],
    ['{id}.json', '7.JSON', undefined],
    ['{id}.json', '7xjson', undefined],
    ['{owner}:{repo}', 'a:b', ['a', 'b']],
    ['{owner}:{repo}', 'a:b:c', ['a:b', 'c']],
    ['{owner}:{repo}', ':b', undefined],
    ['{owner}:{repo}', 'a:', undefined],
    ['{owner}:{repo}', '::b', [':', 'b']],
    ['{base}...{head}', 'a....b', ['a.', 'b']],
    ['({id})', '(7)', ['7']],
    ['({id})', '()', undefined],
    ['v{a}-{b}-{c}!', 'v1-2-3-4!', ['1-2', '3', '4']],
    ['v{a}-{b}-{c}!', 'v1-2!', undefined],
    ['{name}.{format}', 'a.tar.gz', ['a.tar', 'gz']],
  ];
  for (const [template, segment, values] of table)
    it(`${template} ${values === undefined ? 'does not match' : 'matches'} ${segment}`, () => {
      expect(match(template, segment)).to.deep.equal(values);
    });

  it('matches the same segments as a regular expression, with the same values', () => {
    const characters = fc.string({ unit: fc.constantFrom('a', '-', '.'), maxLength: 12 });
    fc.assert(
      fc.property(characters, (segment) => {
        const [, ...expected] = /^-(.+)-(.+)\.\.(.+)a$/.exec(segment) ?? [];
        expect(match('-{a}-{b}..{c}a', segment)).to.deep.equal(expected.length === 0 ? undefined : expected);
      }),
      { numRuns: 5000 },
    );
  });

  it('is refused with adjacent parameters, or with braces that do not match', () => {
    expect(segmentProblem('{a}{b}')).to.equal(
      'The path segment {a}{b} has two parameters without text between them, which is ambiguous.',
    );
    for (const segment of ['{a', 'a}', '{}', '{a}}', '{{a}'])
      expect(segmentProblem(segment), segment).to.equal(`The path segment ${segment} has unmatched braces.`);
    for (const segment of ['a', '{a}', '{a}-{b}', 'x{a}']) expect(segmentProblem(segment)).to.equal(undefined);
  });

  it('is served after text, and before a parameter alone', async () => {
    const parameters = (...names: string[]) =>
      names.map((name) => ({ in: 'path', name, required: true, schema: { type: 'string' } }));
    const item = (operationId: string, ...names: string[]) => ({
      get: { operationId, parameters: parameters(...names), responses: anyJson },
    });
    const paths = {
      '/files/{id}': item('getFile', 'id'),
      '/files/{id}.json': item('getJson', 'id'),
      '/files/all.json': item('getAll'),
      '/files/{id}:{action}': item('act', 'id', 'action'),
    };
    const app = await echoApp(echoContract([], '/x', { paths }), {}, ['getFile', 'getJson', 'getAll', 'act']);
    for (const [path, values] of [
      ['/files/7', { id: '7' }],
      ['/files/7.json', { id: '7' }],
      ['/files/%C3%A9%2F.json', { id: 'é/' }],
      ['/files/all.json', {}],
      ['/files/7:stop', { id: '7', action: 'stop' }],
      ['/files/.json', { id: '.json' }],
    ] as const) {
      const body: unknown = (await supertest(app).get(path).expect(200)).body;
      expect((body as { readonly path: unknown }).path, path).to.deep.equal(values);
    }
    await supertest(app).post('/files/7.json').expect(405).expect('Allow', 'GET, HEAD, OPTIONS');
  });
});

describe('a path with characters that some clients encode', () => {
  /** The only spelling that a router serves is that of a URL parser. */
  const spellings = [
    ['/a|b', '/a|b', '/a%7Cb', '/a%7cb'],
    ['/a^b', '/a^b', '/a%5Eb'],
    ['/a`b', '/a%60b', '/a`b'],
    ['/a<b>', '/a%3Cb%3E', '/a<b>'],
    ['/a"b', '/a%22b', '/a"b'],
    ['/caf\u00e9', '/caf%C3%A9'],
    ['/a b', '/a%20b'],
    ['/{p}|b', '/x|b', '/x%7Cb'],
  ] as const;
  const parameter = { in: 'path', name: 'p', required: true, schema: { type: 'string' } };
  for (const [path, served, ...others] of spellings)
    it(`has one spelling, so that no other passes a guard of the application: ${path}`, async () => {
      const app = await echoApp(echoContract(path.includes('{') ? [parameter] : [], path));
      const server = createServer(app);
      await listen(server);
      expect((await sendRaw({ server }, `GET ${served} HTTP/1.1\r\nHost: a\r\n\r\n`)).status, served).to.equal(200);
      for (const other of others)
        expect((await sendRaw({ server }, `GET ${other} HTTP/1.1\r\nHost: a\r\n\r\n`)).status, other).to.equal(404);
    });

  it('has the same spelling for the middleware of a service, whatever the client sends', () => {
    for (const target of ['/a|b^c', '/a%7Cb%5Ec', '/%61%7cb%5ec'])
      expect(normalizedTarget(target).path).to.equal('/a|b^c');
    expect(normalizedTarget('/a%60b%2Fc').path).to.equal('/a%60b%2Fc');
  });
});
