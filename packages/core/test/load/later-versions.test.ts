import { relative } from 'node:path';
import { errorsOf, place } from '@contract-server/test-support/contract/contract-errors.js';
import { expect } from 'chai';
import { generateTypes } from 'contract-server/generate/generate-types.js';
import { createRouter } from 'contract-server/index.js';
import express from 'express';
import supertest from 'supertest';
import { loadDocument } from '#dist/load/load-document.js';
import type { ContractTypes } from '#dist/types/types.js';

const contract = `openapi: 3.2.0
$self: https://books.example/openapi.yaml
info: { title: Books, version: "1" }
servers: [{ url: /v1, name: main }]
tags: [{ name: books, summary: Books, kind: nav, parent: all }]
paths:
  /books:
    get:
      operationId: listBooks
      parameters: [{ name: page, in: query, schema: { type: integer } }]
      responses:
        "200":
          summary: All books.
          content:
            application/json:
              schema: { type: array, items: { $ref: "#/components/schemas/Book" } }
              examples: { a: { dataValue: [], serializedValue: "[]" } }
    query: { responses: { "200": { description: Found. } } }
    additionalOperations: { COPY: { responses: { "201": { description: Copied. } } } }
  /search:
    get:
      operationId: search
      parameters: [{ name: q, in: querystring, content: { application/x-www-form-urlencoded: { schema: {} } } }]
      responses:
        "200": { content: { application/jsonl: { itemSchema: { $ref: "#/components/schemas/Book" } } } }
components:
  mediaTypes: { books: { schema: { type: array } } }
  schemas:
    Book:
      type: object
      properties: { kind: { type: string } }
      discriminator: { propertyName: kind, defaultMapping: Book }
      xml: { nodeType: element }
  securitySchemes:
    login:
      type: oauth2
      oauth2MetadataUrl: https://books.example/oauth
      deprecated: true
      flows: { deviceAuthorization: { deviceAuthorizationUrl: /d, tokenUrl: /t, scopes: {} } }
`;

describe('a contract in OpenAPI 3.2', () => {
  it('is accepted, with a warning for each part that is not served', async function () {
    this.timeout(60_000);
    const { url, directory } = place({ 'contract.yaml': contract });
    const { warnings, types } = await generateTypes(url);
    expect(warnings.map((line) => line.replace(`${relative('', directory)}/`, ''))).to.deep.equal([
      'contract.yaml:18:5 /books: The method QUERY is not served.',
      'contract.yaml:19:5 /books: The method COPY is not served.',
      'contract.yaml:23:20 search: A parameter `in: querystring` is not read; requests with it are rejected.',
    ]);
    expect(types).to.contain('readonly "/books": {').and.contain('readonly kind?: string;');
  });

  it('warns about an itemSchema that is not applied', async () => {
    const text = `openapi: 3.2.0
info: { title: Books, version: "1" }
paths:
  /books:
    post:
      requestBody:
        content:
          application/json-seq: { itemSchema: { type: object } }
          application/jsonl: { itemSchema: { type: object } }
      responses:
        "200":
          description: Books.
          content:
            application/jsonl: { schema: { type: array, maxItems: 9 }, itemSchema: { type: object } }
            text/event-stream: { itemSchema: { type: object } }
`;
    const { url, directory } = place({ 'contract.yaml': text });
    const { warnings } = await loadDocument(url);
    expect(warnings.map((line) => line.replace(`${relative('', directory)}/`, ''))).to.deep.equal([
      'contract.yaml:6:7 /books: The `itemSchema` of application/json-seq is not applied.',
      'contract.yaml:11:9 /books: The `itemSchema` of application/jsonl is not applied, because it has a `schema`.',
    ]);
  });

  it('is served as one in 3.1', async () => {
    const { url } = place({ 'contract.yaml': contract });
    const handlers = {
      listBooks: () => Promise.resolve({ status: 200, body: [{ kind: 'a' }] }),
      search: () => Promise.resolve({ status: 200, body: '{}\n', mediaType: 'application/jsonl' }),
    };
    const app = express().use(await createRouter<ContractTypes>()({ contract: url, handlers: handlers as object }));
    await supertest(app)
      .get('/v1/books?page=1')
      .expect(200, [{ kind: 'a' }]);
    await supertest(app).get('/v1/books?page=x').expect(400);
    await supertest(app).get('/v1/search').expect(200);
    await supertest(app).get('/v1/search?q=a').expect(400);
  });

  it('is checked by the rules of 3.1, and its additions are unknown there', async () => {
    const lines = await errorsOf({ 'contract.yaml': contract.replace('3.2.0', '3.1.1') });
    expect(lines.some((line) => line.includes('Property `query` is not expected here.'))).to.equal(true);
    const wrong = contract
      .replace('type: integer', 'type: number, minimum: a')
      .replace('query: { responses', 'query: { response');
    expect((await errorsOf({ 'contract.yaml': wrong })).join('\n'))
      .to.contain('Expected type `number` but got `string`')
      .and.contain('`response`');
  });
});
