import { expect } from 'chai';
import { stringify } from 'yaml';
import { loadDocument } from '#src/openapi/load-document.js';
import { place } from '../support/contract/contract-errors.js';
import { info, load, responses } from '../support/contract/loaded-sentences.js';
import { errorOf } from '../support/error-of.js';

describe('an operation at several paths', () => {
  const get = { responses };
  const item = { get };
  const named = { get: { operationId: 'getPet', responses } };
  const repeated = (method = 'GET', path = '/b', other = 'GET /a') =>
    `${method} ${path}: The operationId getPet is also that of ${other}; this operation is called \`${method} ${path}\`.`;
  const yaml = (operation: string) =>
    `openapi: 3.0.4\ninfo: { title: Pets, version: '1' }\npaths:\n  /a: &a { get: ${operation} }\n  /b: *a\n`;
  const done = 'responses: { 200: { description: Done. } }';
  for (const [title, contract, ids, warnings] of [
    ['a reference to another path', { paths: { '/a': item, '/b': { $ref: '#/paths/~1a' } } }, ['GET /a', 'GET /b'], []],
    [
      'a reference to another path with an operationId',
      { paths: { '/a': named, '/b': { $ref: '#/paths/~1a' } } },
      ['getPet', 'GET /b'],
      [repeated()],
    ],
    [
      'a component',
      {
        paths: { '/a': { $ref: '#/components/pathItems/Pet' }, '/b': { $ref: '#/components/pathItems/Pet' } },
        components: { pathItems: { Pet: item } },
      },
      ['GET /a', 'GET /b'],
      [],
    ],
    ['an alias of YAML', yaml(`{ ${done} }`), ['GET /a', 'GET /b'], []],
    [
      'an alias of YAML with an operationId',
      yaml(`{ operationId: getPet, ${done} }`),
      ['getPet', 'GET /b'],
      [repeated()],
    ],
    ['one file', { paths: { '/a': { $ref: 'pet.yaml' }, '/b': { $ref: 'pet.yaml' } } }, ['GET /a', 'GET /b'], []],
  ] as const)
    it(`has an id of its own at each: ${title}`, async () => {
      const loaded = await load(contract, '3.1.1', { 'pet.yaml': stringify(item) });
      expect(loaded).to.deep.equal({ ids, warnings });
    });
});

describe('a reference to a file', () => {
  for (const [reference, name] of [
    ['./my%20pet.yaml', 'my pet.yaml'],
    ['my%23pet.yaml', 'my#pet.yaml'],
    ['p%C3%A9t.yaml', 'pét.yaml'],
    ['pét.yaml', 'pét.yaml'],
  ] as const)
    it(`is a URI: ${reference} is the file ${name}`, async () => {
      const content = { 'application/json': { schema: { $ref: reference } } };
      const get = { operationId: 'x', responses: { 200: { description: 'Done.', content } } };
      const loaded = await load({ paths: { '/x': { get } } }, '3.1.1', { [name]: 'type: string' });
      expect(loaded).to.deep.equal({ ids: ['x'], warnings: [] });
    });
});

describe('the warnings of a document', () => {
  const parameter = (type: string) => ({ name: 'a', in: 'query', schema: { type } });
  const get = { operationId: 'x', responses };
  const only = (served: string, other: string) => `The operations are served below ${served} only, not below ${other}.`;
  for (const [changes, warning] of [
    [{ servers: [{ url: 'v1' }] }, undefined],
    [{ servers: [{ url: './v1' }, { url: 'https://pets.example/v2' }] }, undefined],
    [{ servers: [{ url: '/v1' }, { url: 'v1/' }] }, undefined],
    [{ servers: [{ url: '/v1' }, { url: '/v2' }, { url: '../v3' }] }, only('/v1', '/v2, /v3')],
    [{ servers: [{ url: '/{v}', variables: { v: { default: 'v1', enum: ['v1', 'v2'] } } }] }, only('/v1', '/v2')],
    [
      { paths: { '/x': { get: { ...get, parameters: [parameter('string'), parameter('integer')] } } } },
      'x: Operations must have unique `name` + `in` parameters. Repeats of `in:query` + `name:a`.',
    ],
    [
      { components: { schemas: { A: { type: 'integer', enum: ['a', 1] } } } },
      'All values of `enum` field must be of the same type as the `type` field: expected "integer" but received "string".',
    ],
  ] as const)
    it(`include what is served otherwise: ${JSON.stringify(changes)}`, async () => {
      const { warnings } = await load({ paths: { '/x': { get } }, ...changes });
      expect(warnings).to.deep.equal(warning === undefined ? [] : [warning]);
    });

  it('contain no control characters, and no commands for the log of a workflow', async () => {
    const { url } = place({
      '::error::api.yaml': stringify({
        openapi: '3.1.1',
        info,
        paths: {},
        components: { schemas: { A: { format: 'a\u001b[31m\n::error::\u202e' } } },
      }),
    });
    const { warnings } = await loadDocument(url);
    expect(warnings.join('\n')).to.match(
      /^[^:\n].* The format `a\\u001b\[31m\\u000a::error::\\u202e` is not validated\.$/,
    );
    const broken = place({ '::error::\nx.yaml': 'openapi: 3.1.1' });
    expect(((await errorOf(loadDocument(broken.url))) as Error).message).to.match(
      /^[^:\n][^\n]*::error::\\u000ax\.yaml/,
    );
  });
});
