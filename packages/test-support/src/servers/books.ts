import type { ContractDocument } from '@contract-server/core/contract/document.js';
import { ApiError, type Violation } from '@contract-server/core/lib/errors.js';
import { expect } from 'chai';
import { apiReference } from 'contract-server/reference.js';
import supertest from 'supertest';
import { parse } from 'yaml';
import { toysContract } from '../contract/toys-contract.js';
import { startComposed } from './composed.js';

const { paths, components } = parse(`
paths:
  /books:
    post:
      operationId: createBook
      parameters:
        - { name: draft, in: query, schema: { type: boolean } }
        - { name: X-Copies, in: header, schema: { type: integer, minimum: 1 } }
      requestBody:
        required: true
        content: { application/json: { schema: { $ref: "#/components/schemas/NewBook" } } }
      responses: { "201": { description: The book, content: { application/json: { example: { id: 1 } } } } }
  /books/{bookId}:
    get:
      operationId: getBook
      parameters: [{ name: bookId, in: path, required: true, schema: { type: integer } }]
      responses: { "200": { description: The book, content: { application/json: { example: { id: 1 } } } } }
components:
  schemas:
    NewBook:
      type: object
      additionalProperties: false
      required: [title]
      properties:
        title: { type: string, minLength: 1 }
        "author/editor": { type: object, required: [name], properties: { "born~": { type: integer } } }
`) as Pick<ContractDocument, 'paths' | 'components'>;
const { security: _security, ...toys } = toysContract.document;
const unlimited = {
  'x-rate-limit-plans': { unlimited: 'unlimited' },
  'x-rate-limit-address-plan': 'unlimited',
} as const;
export const document: ContractDocument = { ...toys, ...unlimited, paths, components: components ?? {} };

/** The errors that the handler of getBook throws, by the id of the book. */
export const isbnTaken: Violation = { in: 'body', pointer: '/isbn', message: 'The ISBN is taken.' };
export const unique = Object.assign(new Error('UNIQUE constraint failed: books.isbn'), {
  code: 'SQLITE_CONSTRAINT_UNIQUE',
});
export const gone = Object.assign(new Error('Out of print.'), { status: 410, expose: true });
export const thrown = [
  new ApiError('invalid_request', isbnTaken.message, { violations: [isbnTaken] }),
  unique,
  gone,
  new Error('defect'),
];
const handlers = {
  createBook: () => Promise.resolve({ status: 201, body: '{"id":1}' }),
  getBook: ({ path }: { readonly path: { readonly bookId: number } }) =>
    Promise.reject(thrown[path.bookId] ?? expect.fail()),
};
/** Starts the service of the books, with the option `errors`. */
export function startBooks(
  errors?: Parameters<typeof startComposed>[0]['errors'],
  contract = document,
  routes: Parameters<typeof startComposed>[0]['routes'] = [],
) {
  return startComposed({ document: contract, handlers, security: {}, errors, routes, reference: apiReference() });
}
export type BooksService = Awaited<ReturnType<typeof startBooks>>;

type Served = Pick<BooksService, 'server'>;
export const postBook = ({ server }: Served, body: string, target = '/v1/books') =>
  supertest(server).post(target).type('json').send(body);
export const get = ({ server }: Served, target: string) => supertest(server).get(target);
