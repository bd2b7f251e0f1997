import { place } from '@contract-server/test-support/contract/contract-errors.js';
import { errorOf } from '@contract-server/test-support/error-of.js';
import { expect } from 'chai';
import cors from 'cors';
import express from 'express';
import helmet from 'helmet';
import { createRequest, type Request } from '#dist/create-request.js';

/** OpenAPI 3.1 with the error body of RealWorld: the fields with their mistakes. */
const contract = place({
  'contract.yaml': `
openapi: 3.1.1
info: { title: Articles, version: 1.0.0 }
servers: [{ url: "https://articles.example/api" }]
x-error-codes: { slug: { status: 404 }, title: { status: 422 } }
paths:
  /articles/{slug}:
    get:
      operationId: getArticle
      parameters: [{ name: slug, in: path, required: true, schema: { type: string } }]
      responses:
        "200": { description: Article, content: { application/json: { schema: { $ref: "#/components/schemas/Article" } } } }
        default: { $ref: "#/components/responses/Errors" }
components:
  schemas:
    Article:
      type: object
      required: [title, author]
      properties: { title: { type: string }, author: { type: [string, "null"] }, tags: { type: [array, "null"] } }
    Errors:
      type: object
      required: [errors]
      properties: { errors: { type: object, additionalProperties: { type: array, items: { type: string } } } }
  responses:
    Errors:
      description: Errors
      content: { application/problem+json: { schema: { $ref: "#/components/schemas/Errors" } } }
`,
}).url;

const articles: Readonly<Record<string, object>> = {
  anonymous: { title: 'How to train', author: null, tags: null },
  broken: { title: null, author: 'Ann' },
};
const firstField = (body: unknown) => Object.keys((body as { readonly errors: object }).errors)[0];

describe('an Express application of a team', () => {
  let request: Request;
  before(async () => {
    const app = express();
    app.use(helmet(), cors());
    app.get('/api/articles/:slug', ({ params: { slug } }, response) => {
      const article = articles[slug];
      if (article !== undefined) return response.json(article);
      const errors = slug === 'lost' ? { slug: ['is unknown'] } : { lost: [] };
      return response.status(404).type('application/problem+json').send({ errors });
    });
    request = await createRequest({ contract, server: app, codeOf: firstField });
  });
  const violationOf = async (target: string) => String(await errorOf(Promise.resolve(request.get(target))));

  it('conforms to a contract in OpenAPI 3.1, with any error body, without the headers of contract-server', async () => {
    const { headers } = await request.get('/api/articles/anonymous').expect(200, articles['anonymous']);
    expect(headers).not.to.have.property('x-request-id');
    await request.get('/api/articles/lost').expect(404, { errors: { slug: ['is unknown'] } });
    await request.options('/api/articles/lost').set('Origin', 'https://shop.example').expect(204);
  });

  it('conforms without X-Content-Type-Options, and with the headers that Express sends by default', async () => {
    const plain = express().get('/api/articles/:slug', (_, response) => response.json(articles['anonymous']));
    const { headers } = await (await createRequest({ contract, server: plain })).get('/api/articles/1').expect(200);
    expect(headers).to.include({ 'x-powered-by': 'Express' }).and.not.to.have.property('x-content-type-options');
  });

  it('violates a type that is not null', async () => {
    expect(await violationOf('/api/articles/broken')).to.include('body /title must be string (type), received null');
  });

  it('violates x-error-codes by the code that codeOf finds', async () => {
    expect(await violationOf('/api/articles/none')).to.include('error code lost is not in x-error-codes');
  });

  it('has errors of unknown routes as the default response of every operation declares', async () => {
    expect(await violationOf('/api/authors')).to.include(
      'header content-type text/html; charset=utf-8 is not declared',
    );
  });

  it('gets the headers of the options with each request', async () => {
    const echo = express().get('/api/articles/:slug', ({ headers: { authorization } }, response) =>
      response.json({ title: 'Mine', author: authorization }),
    );
    const own = await createRequest({ contract, server: echo, headers: { Authorization: 'Token 1' } });
    await own.get('/api/articles/1').expect(200, { title: 'Mine', author: 'Token 1' });
    await own.get('/api/articles/1').set('Authorization', 'Token 2').expect(200, { title: 'Mine', author: 'Token 2' });
  });

  it('rejects a contract that cannot be read', async () => {
    const error = await errorOf(createRequest({ contract: 'test/none.yaml', server: express() }));
    expect(String(error)).to.match(/^ContractError: .*none\.yaml:1:1 ENOENT/);
  });
});
