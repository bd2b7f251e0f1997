import { expect } from 'chai';
import fc from 'fast-check';
import supertest from 'supertest';
import { compileSegment, type Mixture, matchMixture, segmentProblem } from '#src/openapi/path-segments.js';
import { anyJson, echoApp, echoContract } from '../support/contract/echo-app.js';

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
