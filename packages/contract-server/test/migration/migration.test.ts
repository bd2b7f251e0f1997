import { expect } from 'chai';
import express from 'express';
import supertest from 'supertest';
import { createRouter, type Handlers } from '#src/index.js';
import type { Contract } from './generated/contract.js';
import { routes, routesOf } from './routes.js';
import { books, contractPath, findUser } from './shop.js';

type ShopHandlers = Handlers<Contract, { readonly token: { readonly id: string } }>;

/** The handlers to which the routes are moved. */
const handlers: ShopHandlers = {
  listBooks: ({ query }) => ok(books.list(query.genre).slice(0, query.limit)),
  createBook: ({ body }, { caller }) => Promise.resolve({ status: 201, body: books.add(body, caller.id) }),
  getBook: ({ path }) => {
    const book = books.find(path.id);
    return book === undefined
      ? Promise.reject(Object.assign(new Error('No such book.'), { status: 404, expose: true }))
      : ok(book);
  },
  replaceBook: ({ path, body }) => ok(books.replace(path.id, body)),
  deleteBook: () => Promise.resolve({ status: 204 }),
  listReviews: () => ok([{ stars: 5 }]),
  createReview: ({ body }) => Promise.resolve({ status: 201, body }),
  listBooksOfAuthor: ({ path }) => ok(books.by(path.name)),
  getAccount: (_request, { caller }) => ok({ name: caller.id }),
  getPrices: ({ query }) => ok(books.prices(query.ids)),
};

function ok<Body>(body: Body) {
  return Promise.resolve({ status: 200 as const, body });
}

const emma = { title: 'Emma', author: 'Austen' };
const allBooks = books.list();

/** A request, and its status with the body, or with the paths of the errors in it. */
type Case = readonly [
  method: 'get' | 'post' | 'put' | 'delete',
  path: string,
  sent: object | undefined,
  status: number,
  expected?: unknown,
];

/** The same requests have the same responses at each step. */
const cases: readonly Case[] = [
  ['get', '/books', undefined, 200, allBooks.slice(0, 2)],
  ['get', '/books?genre=poetry&limit=10', undefined, 200, allBooks.slice(2)],
  ['get', '/books?limit=0', undefined, 400, ['/query/limit']],
  ['get', '/books?page=2', undefined, 400, ['/query/page']],
  ['post', '/books', emma, 201, { id: 4, ...emma, genre: 'novel' }],
  ['post', '/books', { ...emma, title: '' }, 400, ['/body/title']],
  ['post', '/books', { title: 'Emma' }, 400, ['/body/author']],
  ['get', '/books/3', undefined, 200, allBooks[2]],
  ['get', '/books/9', undefined, 404, []],
  ['get', '/books/x', undefined, 400, ['/params/id']],
  ['put', '/books/1', { ...emma, genre: 'poetry' }, 200, { id: 1, ...emma, genre: 'poetry' }],
  ['put', '/books/1', { ...emma, genre: 'drama' }, 400, ['/body/genre']],
  ['delete', '/books/1', undefined, 204, {}],
  ['get', '/books/1/reviews', undefined, 200, [{ stars: 5 }]],
  ['post', '/books/1/reviews', { stars: 4, text: 'Fine.' }, 201, { stars: 4, text: 'Fine.' }],
  ['post', '/books/1/reviews', { stars: 6 }, 400, ['/body/stars']],
  ['get', '/authors/Blake/books', undefined, 200, allBooks.slice(2)],
  ['get', '/authors/B/books', undefined, 400, ['/params/name']],
  ['get', '/me', undefined, 200, { name: 'ann' }],
  ['get', '/prices?ids=1,2', undefined, 200, { 1: 1.5, 2: 2.5 }],
  ['get', '/prices', undefined, 400, ['/query/ids']],
];
const secured = ['post /books', 'put /books/1', 'delete /books/1', 'post /books/1/reviews', 'get /me'];

/** The application with these handlers; the other operations have their routes. */
async function appWith(moved: Partial<Record<keyof ShopHandlers, unknown>>) {
  const router = await createRouter<Contract>()({
    contract: contractPath,
    unhandled: 'next',
    security: { token: findUser },
    errors: {
      body: ({ message, violations }) => ({
        message,
        errors: violations.map(({ in: place, pointer }) => ({
          path: `/${place === 'path' ? 'params' : place}${pointer}`,
        })),
      }),
    },
    handlers: moved as Partial<ShopHandlers>,
  });
  // A route is deleted when its operation has moved.
  return express().use(
    router,
    ...routesOf(Object.keys(routes).filter((id) => typeof moved[id as 'getBook'] !== 'function')),
  );
}

async function requireSameResponses(app: express.Express): Promise<void> {
  for (const [method, path, sent, status, expected] of cases) {
    const request = supertest(app)[method](`/shop${path}`).set('Authorization', 'Bearer ann');
    const response = await (sent === undefined ? request : request.send(sent));
    const body = response.body as { readonly errors: readonly { readonly path: string }[] };
    expect(
      [response.status, status >= 400 ? body.errors.map((error) => error.path) : body],
      `${method} ${path}`,
    ).to.deep.equal([status, expected]);
  }
  for (const each of secured) {
    const [method, path] = each.split(' ') as ['get', string];
    const { status } = await supertest(app)[method](`/shop${path}`).set('Authorization', 'Bearer bob').send(emma);
    expect(status, each).to.equal(401);
  }
}

describe('an application with ten routes on express-openapi-validator', function () {
  this.timeout(60_000);

  it('has the same responses at each step while its operations are moved one by one', async () => {
    const ids = Object.keys(routes) as (keyof ShopHandlers)[];
    expect(ids).to.have.length(10).and.to.have.members(Object.keys(handlers));
    const moved: Partial<Record<keyof ShopHandlers, unknown>> = {};
    await requireSameResponses(await appWith(moved));
    for (const id of ids)
      for (const handler of ['next', handlers[id]]) {
        moved[id] = handler;
        await requireSameResponses(await appWith(moved));
      }
  });
});
