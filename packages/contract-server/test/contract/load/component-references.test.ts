import { expect } from 'chai';
import { stringify } from 'yaml';
import { loadDocument } from '#src/contract/load/load-document.js';
import { place } from '../../support/contract/contract-errors.js';

const json = (schema: object) => ({ content: { 'application/json': { schema } } });

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
