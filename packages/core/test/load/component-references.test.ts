import { errorsOf, place } from '@contract-server/test-support/contract/contract-errors.js';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { loadDocument } from '#dist/load/load-document.js';

const json = (schema: object) => ({ content: { 'application/json': { schema } } });

const parts = `info: { title: Toys, version: "1" }
paths:
  /toys:
    post:
      operationId: addToy
      parameters: { $ref: "#/x-parts/parameters" }
      requestBody: { content: { application/json: { $ref: "#/x-parts/chain" } } }
      responses:
        "200": { description: Toy., headers: { $ref: "#/x-parts/headers" }, content: { $ref: "#/x-parts/content" } }
  /files:
    put: { $ref: "parts.yaml#/put" }
  /copies:
    put: { $ref: "#/x-parts/put" }
x-parts:
  parameters: [{ name: page, in: query, schema: { type: integer } }]
  headers: { X-A: { schema: { type: string } } }
  chain: { $ref: "#/x-parts/content/application~1json" }
  put: { operationId: copyToy, responses: { "200": { description: Copied. } } }
  content: { application/json: { schema: { type: object, properties: { $ref: "#/x-parts/properties" } } } }
  properties: { name: { $ref: "#/components/schemas/Name" } }
components:
  schemas: { Name: { type: string } }
`;

describe('a reference where OpenAPI has none', () => {
  for (const version of ['3.0.4', '3.1.1', '3.2.0'])
    it(`is replaced by what it leads to, in the same file as in another: ${version}`, async () => {
      const files = {
        'api.yaml': `openapi: ${version}\n${parts}`,
        'parts.yaml': 'put: { operationId: putFile, responses: { "200": { description: Put. } } }\n',
      };
      const { document } = await loadDocument(place(files).url);
      const content = {
        'application/json': {
          schema: { type: 'object', properties: { name: { $ref: '#/components/schemas/Name' } } },
        },
      };
      const paths = document.paths as Record<string, Record<string, object>>;
      expect(paths['/toys']?.['post']).to.deep.include({
        parameters: [{ name: 'page', in: 'query', schema: { type: 'integer' } }],
        requestBody: { content },
        responses: { 200: { description: 'Toy.', headers: { 'X-A': { schema: { type: 'string' } } }, content } },
      });
      expect(paths['/files']?.['put']).to.include({ operationId: 'putFile' });
      expect(paths['/copies']?.['put']).to.include({ operationId: 'copyToy' });
    });

  it('to an array is replaced in each part that contains it by another reference', async () => {
    const text = `openapi: 3.1.1
info: { title: Toys, version: "1" }
paths:
  /toys: { get: { $ref: "#/x-parts/list" } }
  /games: { get: { $ref: "#/x-parts/list" } }
x-parts:
  list: { responses: { "200": { description: Listed. } }, parameters: { $ref: "#/x-parts/parameters" } }
  parameters: [{ name: page, in: query, schema: { type: integer } }]
`;
    const { document } = await loadDocument(place({ 'api.yaml': text }).url);
    const parameters = [{ name: 'page', in: 'query', schema: { type: 'integer' } }];
    for (const path of ['/toys', '/games']) expect(document.paths[path]?.get).to.deep.include({ parameters });
  });

  it('is refused if it leads to what contains it', async () => {
    const callback = 'callbacks: { a: { "{$url}": { post: { $ref: "#/paths/~1a/post" } } } }';
    const operation = `{ operationId: a, responses: { "200": { description: A. } }, ${callback} }`;
    const text = `openapi: 3.1.1\ninfo: { title: A, version: "1" }\npaths: { /a: { post: ${operation} } }\n`;
    expect(await errorsOf({ 'api.yaml': text })).to.deep.equal([
      'api.yaml:1:1 A `$ref` to a part that is no component leads to what contains it; write what it describes.',
    ]);
  });
});

describe('referToComponents', () => {
  it('makes a component of each part of a document that a reference leads to, so that types and tools find it', async () => {
    const tree = '#/paths/~1trees~1%7Bid%7D/post/requestBody/content/application~1json/schema';
    const response = { description: 'A tree', ...json({ $ref: tree }) };
    const { url } = place({
      'api.yaml': stringify({
        ...{ openapi: '3.1.1', info: { title: 'Trees', version: '1.0.0' } },
        paths: {
          '/trees/{id}': {
            parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
            post: {
              requestBody: json({ properties: { child: { $ref: tree, description: 'May be absent.' } } }),
              responses: { 200: response },
            },
          },
          '/trees/{id}/garden': {
            put: {
              parameters: [{ $ref: '#/paths/~1trees~1%7Bid%7D/parameters/0' }],
              responses: { 200: { $ref: '#/paths/~1trees~1%7Bid%7D/post/responses/200' }, 400: response },
            },
          },
          '/forests': { get: { responses: { 200: { $ref: 'forests.yaml#/get~1forests/200' } } } },
        },
      }),
      'forests.yaml': stringify({ 'get/forests': { 200: { description: 'Forests' } } }),
    });
    const { document } = await loadDocument(url);
    const operations = ['parameters_0', 'post_responses_200'].map((part) => `paths_trees_id_${part}`);
    const schema = 'paths_trees_id_post_requestBody_content_application_json_schema';
    const $ref = `#/components/schemas/${schema}`;
    expect(document.components).to.deep.equal({
      parameters: { [operations[0] ?? '']: { name: 'id', in: 'path', required: true, schema: { type: 'integer' } } },
      responses: {
        [operations[1] ?? '']: { description: 'A tree', ...json({ $ref }) },
        200: { description: 'Forests' },
      },
      schemas: { [schema]: { properties: { child: { $ref, description: 'May be absent.' } } } },
    });
    expect(document.paths['/trees/{id}/garden']?.put).to.deep.include({
      parameters: [{ $ref: `#/components/parameters/${operations[0] ?? ''}` }],
    });
    expect(document.paths['/forests']?.get?.responses).to.deep.equal({ 200: { $ref: '#/components/responses/200' } });
  });
});
