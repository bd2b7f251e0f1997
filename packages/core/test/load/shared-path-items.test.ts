import { errorsOf, place } from '@contract-server/test-support/contract/contract-errors.js';
import { info, load, responses } from '@contract-server/test-support/contract/loaded-sentences.js';
import { errorOf } from '@contract-server/test-support/error-of.js';
import { expect } from 'chai';
import { generateTypes } from 'contract-server/generate/generate-types.js';
import { stringify } from 'yaml';
import { operationsOf } from '#dist/contract/operations.js';
import { prefixOf } from '#dist/contract/servers.js';
import { loadDocument } from '#dist/load/load-document.js';

describe('an operation at several paths', () => {
  const get = { responses };
  const item = { get };
  const post = { responses };
  const named = { get: { operationId: 'getPet', responses } };
  const repeated = (method = 'GET', path = '/b', other = 'GET /a') =>
    `${method} ${path}: The operationId getPet is also that of ${other}; this operation is called \`${method} ${path}\`.`;
  const yaml = (operation: string) =>
    `openapi: 3.0.4\ninfo: { title: Pets, version: '1' }\npaths:\n  /a: &a { get: ${operation} }\n  /b: *a\n`;
  const pathItem = (name: string) => ({ $ref: `#/components/pathItems/${name}` });
  const found = { get: { parameters: [{ name: 'id', in: 'path', required: true, schema: {} }], responses } };
  const files = {
    'pet.yaml': stringify(item),
    'named.yaml': stringify(named),
    'reference.yaml': '$ref: pet.yaml',
    'back.yaml': '$ref: api.yaml#/components/pathItems/Pet',
    'more.yaml': stringify({ $ref: 'pet.yaml', post }),
  };
  const textOf = (contract: object | string) =>
    typeof contract === 'string'
      ? contract
      : stringify({ openapi: '3.1.1', info, ...contract }, { aliasDuplicateObjects: false });
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
    [
      'one file with an operationId',
      { paths: { '/a': { $ref: 'named.yaml' }, '/b': { $ref: 'named.yaml' } } },
      ['getPet', 'GET /b'],
      [repeated()],
    ],
    [
      'a component with an operationId',
      { paths: { '/a': pathItem('Pet'), '/b': pathItem('Pet') }, components: { pathItems: { Pet: named } } },
      ['getPet', 'GET /b'],
      [repeated()],
    ],
    [
      'a reference to a reference',
      { paths: { '/a': { $ref: '#/paths/~1b' }, '/b': { $ref: '#/paths/~1c' }, '/c': item } },
      ['GET /a', 'GET /b', 'GET /c'],
      [],
    ],
    [
      'a component that is a reference',
      { paths: { '/a': pathItem('A') }, components: { pathItems: { A: pathItem('B'), B: item } } },
      ['GET /a'],
      [],
    ],
    ['a file that is a reference', { paths: { '/a': { $ref: 'reference.yaml' } } }, ['GET /a'], []],
    [
      'a file that leads back',
      { paths: { '/a': { $ref: 'back.yaml' } }, components: { pathItems: { Pet: item } } },
      ['GET /a'],
      [],
    ],
    [
      'a component that is a file',
      { paths: { '/a': pathItem('A') }, components: { pathItems: { A: { $ref: 'pet.yaml' } } } },
      ['GET /a'],
      [],
    ],
    [
      'a path parameter of one of the paths',
      { paths: { '/a/{id}': pathItem('Pet'), '/b': pathItem('Pet') }, components: { pathItems: { Pet: found } } },
      ['GET /a/{id}', 'GET /b'],
      ['/b: The path /b has no parameter {id}; the declaration is ignored.'],
    ],
    ['a member beside it', { paths: { '/a': { $ref: 'pet.yaml', post } } }, ['GET /a', 'POST /a'], []],
    [
      'a member beside it in the document',
      { paths: { '/a': { ...pathItem('Pet'), post } }, components: { pathItems: { Pet: item } } },
      ['GET /a', 'POST /a'],
      [],
    ],
    [
      'a member beside each of several',
      {
        paths: { '/a': { ...pathItem('A'), put: post } },
        components: { pathItems: { A: { ...pathItem('B'), post }, B: item } },
      },
      ['GET /a', 'PUT /a', 'POST /a'],
      [],
    ],
  ] as const)
    it(`is served at each: ${title}`, async () => {
      const loaded = await load(contract, '3.1.1', files);
      expect(loaded).to.deep.equal({ ids, warnings });
      const { url } = place({ 'api.yaml': textOf(contract), ...files });
      const { types, operations } = await generateTypes(url);
      expect(operations).to.equal(ids.length);
      for (const id of ids) expect(types).to.match(new RegExp(`^ {4}readonly "?${id.replace(/[{}]/g, '.')}"?: `, 'm'));
    });

  for (const [title, contract, problem] of [
    [
      'the same member',
      { paths: { '/a': { $ref: 'named.yaml', ...item } } },
      'named.yaml:1:1 /a: `get` is also beside a `$ref` that leads here; keep one of them.',
    ],
    [
      'the same parameters',
      { paths: { '/a': { ...pathItem('A'), parameters: [] } }, components: { pathItems: { A: { parameters: [] } } } },
      'api.yaml:11:5 `parameters` is also beside a `$ref` that leads here; keep one of them.',
    ],
    [
      'a member in a file between them',
      { paths: { '/a': { $ref: 'more.yaml' } } },
      'more.yaml:1:1 /a: Members beside a `$ref` that another file refers to are not supported; write them in the path item.',
    ],
  ] as const)
    it(`is refused if the specification does not say which one is meant: ${title}`, async () => {
      expect(await errorsOf({ 'api.yaml': textOf(contract), ...files })).to.deep.equal([problem]);
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

  const query = { name: 'a', in: 'query', schema: { type: 'string' } };
  for (const [reference, files] of [
    ['#/paths/~1pets~1%7Bid%7D/parameters/0', {}],
    ['#/paths/~1pets~1{id}/parameters/0', {}],
    ['my%20parts.json#/a~1b/%7Bc%7D', { 'my parts.json': JSON.stringify({ 'a/b': { '{c}': query } }) }],
  ] as const)
    it(`has a fragment that is a URI: ${reference}`, async () => {
      const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
      const paths = {
        '/pets/{id}': { parameters: [query, id], get: { operationId: 'x', responses } },
        '/y': { get: { operationId: 'y', parameters: [{ $ref: reference }], responses } },
      };
      expect(await load({ paths }, '3.1.1', files)).to.deep.equal({ ids: ['x', 'y'], warnings: [] });
    });
});

describe('the warnings of a document', () => {
  const parameter = (type: string) => ({ name: 'a', in: 'query', schema: { type } });
  const get = { operationId: 'x', responses };
  const only = (served: string, other: string) => `The operations are served below ${served} only, not below ${other}.`;
  const again = (place: string, name: string, owner = 'x') =>
    `${owner}: The ${place} parameter ${name} is declared again; this declaration is ignored.`;
  const header = (name: string) => ({ ...parameter('string'), name, in: 'header' });
  const schema = (A: object) => ({ components: { schemas: { A } } });
  const variables = { v: { default: 'v1', enum: ['v1', 'v2'] } };
  for (const [changes, warning, prefix] of [
    [{ servers: [{ url: 'v1' }] }, undefined, '/v1'],
    [{ servers: [{ url: './v1' }, { url: 'https://pets.example/v2' }] }, undefined, '/v1'],
    [{ servers: [{ url: '/v1' }, { url: 'v1/' }] }, undefined, '/v1'],
    [{ servers: [{ url: '/v1' }, { url: '/v2' }, { url: '../v3' }] }, only('/v1', '/v2, /v3'), '/v1'],
    [{ servers: [{ url: '/{v}', variables }] }, only('/v1', '/v2'), '/v1'],
    [{ paths: { '/x': { servers: [{ url: 'a' }, { url: './b' }], get } } }, `/x: ${only('/a', '/b')}`, '/a'],
    [{ paths: { '/x': { get: { ...get, servers: [{ url: '{v}', variables }] } } } }, `x: ${only('/v1', '/v2')}`, '/v1'],
    [
      { paths: { '/x': { get: { ...get, parameters: [parameter('string'), parameter('integer')] } } } },
      again('query', 'a'),
    ],
    [{ paths: { '/x': { get, parameters: [parameter('string'), parameter('integer')] } } }, again('query', 'a', '/x')],
    [{ paths: { '/x': { get: { ...get, parameters: [header('X-A'), header('x-a')] } } } }, again('header', 'X-A')],
    [{ paths: { '/x': { parameters: [header('X-A')], get: { ...get, parameters: [header('x-a')] } } } }, undefined],
    [
      schema({ type: 'integer', enum: ['a', 1] }),
      'All values of `enum` field must be of the same type as the `type` field: expected "integer" but received "string".',
    ],
    [
      schema({ type: ['string', 'null'], enum: ['a', null, 1] }),
      'Enum value `1` must be of allowed types: `string,null`.',
    ],
    [schema({ type: ['string', 'null'], enum: ['a', null] }), undefined],
    [schema({ type: 'string', const: 1 }), 'No value is valid: `const` is of type number, and `type` is string.'],
    [schema({ type: 'integer', const: 1 }), undefined],
  ] as const)
    it(`include what is served otherwise: ${JSON.stringify(changes)}`, async () => {
      const contract = { openapi: '3.1.1', info, paths: { '/x': { get } }, ...changes };
      const { warnings } = await load(contract);
      expect(warnings).to.deep.equal(warning === undefined ? [] : [warning]);
      const { document } = await loadDocument(place({ 'api.yaml': stringify(contract) }).url);
      const [operation] = operationsOf(document);
      expect(operation && prefixOf(document, operation)).to.equal(prefix ?? '');
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
