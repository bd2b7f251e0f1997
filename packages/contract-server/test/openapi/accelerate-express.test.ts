import { expect } from 'chai';
import express, { type Express, type Request, type Response } from 'express';
import type { Context, OpenAPIBackend } from 'openapi-backend';
import request from 'supertest';
import { type Both, createBoth, createOptions } from './differential/both-backends.js';

type Received = Context<unknown, object, object, Readonly<Record<string, string>>, object>;

/** Sends what a handler has received as JSON, as the handlers of an Express application do. */
const send =
  (status: number) =>
  (
    { request: { headers, params, query, cookies, requestBody }, ...context }: Received,
    sent: Request,
    response: Response,
  ) => {
    const { validation } = context as Partial<Context>;
    const errors = validation?.errors?.map(({ message }) => message);
    const values = { params, query, cookies, requestBody, type: headers['content-type'], agent: headers['user-agent'] };
    response.status(status).json({ ...values, url: sent.url, errors });
  };

const handlers = {
  ...Object.fromEntries(['listToys', 'createToy', 'getToy', 'putPart'].map((id) => [id, send(200)])),
  ...{ validationFail: send(400), unauthorizedHandler: send(401), notFound: send(404), methodNotAllowed: send(405) },
};

type Respond = (api: OpenAPIBackend, sent: Request, response: Response) => Promise<unknown>;

type Sent = Parameters<OpenAPIBackend['handleRequest']>[0];

/** Ways in which the README of openapi-backend passes requests. */
const ways: Readonly<Record<string, Respond>> = {
  'api.handleRequest({ method, path, body, query, headers }, …)': (api, sent, response) => {
    const { method, path, query, headers } = sent;
    return api.handleRequest({ method, path, query, headers, body: sent.body as unknown } as Sent, sent, response);
  },
  'api.handleRequest(request, …)': (api, sent, response) => api.handleRequest(sent as Sent, sent, response),
  'api.handleRequest with the URL as path': (api, sent, response) => {
    const { method, url, headers } = sent;
    return api.handleRequest({ method, path: url, headers, body: sent.body as unknown } as Sent, sent, response);
  },
};

function createApp(api: OpenAPIBackend, respond: Respond, queryParser: string): Express {
  const app = express().set('query parser', queryParser);
  return app.use(express.json()).use((sent, response, next) => void respond(api, sent, response).catch(next));
}

describe('accelerate, in an Express application', () => {
  let both: Both;
  before(async () => {
    // With `coerceTypes`, openapi-backend loses the path of a request of Express.
    both = await createBoth(() => createOptions({ handlers, coerceTypes: false, ajvOpts: {} }));
  });

  const requests: readonly (readonly [method: 'get' | 'post' | 'put', path: string, body?: object])[] = [
    ['get', '/v1/toys?name=Ball&name=Kite'],
    ['get', '/v1/toys?page=1'],
    ['get', '/v1/toys?name=Doll&name=Kite'],
    ['get', '/v1/nothing?a=b&a=c'],
    ['get', '/v1/toys/1'],
    ['post', '/v1/toys', { name: 'Ball', weight: 5, parts: [{ name: 'Valve' }] }],
    ['post', '/v1/toys', { name: '' }],
    ['post', '/v1/toys', []],
    ['put', '/v1/toys'],
  ];
  for (const [way, respond] of Object.entries(ways))
    for (const queryParser of ['simple', 'extended'])
      it(`responds as before to ${way}, with the ${queryParser} query parser`, async () => {
        for (const [method, path, body] of requests) {
          const [stock, accelerated] = await Promise.all(
            [both.stock, both.accelerated].map(async (api) => {
              const sent = request(createApp(api, respond, queryParser))
                [method](path)
                .set({ Cookie: 'session=ab; theme=dark', 'User-Agent': 'test' });
              const response = await (body === undefined ? sent : sent.send(body));
              return { status: response.status, body: response.body as { readonly query: object } };
            }),
          );
          // The defaults and types of parameters are an intended difference.
          const { limit: _, ...query } = (accelerated?.body.query ?? {}) as { readonly limit?: unknown };
          expect({ ...accelerated, body: { ...accelerated?.body, query } }, path).to.deep.equal(stock);
        }
      });
});
