import express, { type ErrorRequestHandler, type RequestHandler, Router } from 'express';
import { middleware } from 'express-openapi-validator';
import { books, contractPath, findUser } from './shop.js';

/** The routes of the application before it is moved, by operation. Another library validates their requests. */
export const routes: Readonly<Record<string, (router: Router) => unknown>> = {
  listBooks: (router) =>
    router.get('/books', ({ query: { limit, genre } }, response) => {
      response.json(books.list(genre as 'novel' | undefined).slice(0, Number(limit)));
    }),
  createBook: (router) =>
    router.post('/books', ({ body }, response) => {
      response.status(201).json(books.add(body as never, 'ann'));
    }),
  getBook: (router) =>
    router.get('/books/:id', ({ params: { id } }, response, next) => {
      const book = books.find(Number(id));
      if (book === undefined) next(notFound);
      else response.json(book);
    }),
  replaceBook: (router) =>
    router.put('/books/:id', ({ params: { id }, body }, response) => {
      response.json(books.replace(Number(id), body as never));
    }),
  deleteBook: (router) =>
    router.delete('/books/:id', (_request, response) => {
      response.status(204).end();
    }),
  listReviews: (router) =>
    router.get('/books/:id/reviews', (_request, response) => {
      response.json([{ stars: 5 }]);
    }),
  createReview: (router) =>
    router.post('/books/:id/reviews', ({ body }, response) => {
      response.status(201).json(body);
    }),
  listBooksOfAuthor: (router) =>
    router.get('/authors/:name/books', ({ params: { name } }, response) => {
      response.json(books.by(name));
    }),
  getAccount: (router) =>
    router.get('/me', ({ headers: { authorization = '' } }, response) => {
      response.json({ name: findUser(authorization.slice(7))?.id });
    }),
  getPrices: (router) =>
    router.get('/prices', ({ query: { ids } }, response) => {
      response.json(books.prices(([ids].flat() as string[]).join().split(',').map(Number)));
    }),
};

const notFound = Object.assign(new Error('No such book.'), { status: 404 });

/** The validator, the routes of these operations, and the error handler of the application. */
export function routesOf(ids: readonly string[]): (RequestHandler | ErrorRequestHandler)[] {
  const router = Router();
  for (const id of ids) routes[id]?.(router);
  const shop: RequestHandler = (request, response, next) => {
    if (!request.path.startsWith('/shop/')) {
      next();
      return;
    }
    request.url = request.url.slice('/shop'.length);
    router(request, response, next);
  };
  const isKnown = ({ headers: { authorization = '' } }: { readonly headers: { readonly authorization?: string } }) =>
    findUser(authorization.slice(7)) !== undefined;
  const validator = middleware({ apiSpec: contractPath, validateSecurity: { handlers: { token: isKnown as never } } });
  return [express.json(), ...validator, shop, sendError];
}

/** The body of errors that the clients of the application know. Express recognizes the handler by four parameters. */
const sendError: ErrorRequestHandler = (error, _request, response, _next) => {
  const { status = 500, message, errors = [] } = error as Readonly<Record<string, unknown>>;
  response.status(Number(status)).json({ message, errors });
};
