import type { components, operations } from '../../generated/openapi.js';
import type { PetstoreClientOptions } from './options.js';
import { unexpectedResponse } from './petstore-error.js';
import { type Call, type CallOptions, createCall, createRequest, type OperationRequest } from './request.js';
import type { Time } from './retrying-fetch.js';

export type Book = components['schemas']['Book'];
export type NewBook = components['schemas']['NewBook'];
export type ListQuery = NonNullable<operations['listBooks']['parameters']['query']>;

/** The operations of the contract. They throw `PetstoreError`, and TypeError or RangeError for invalid arguments. */
export interface PetstoreClient {
  /** Calls any operation of the contract by its method and path. The named methods wrap it. */
  readonly request: OperationRequest;
  listBooks(query?: ListQuery, options?: CallOptions): Call<readonly Book[]>;
  createBook(book: NewBook, options?: CallOptions): Call<Book>;
}

/** Creates a client that waits by this clock. @throws TypeError for a missing or invalid option. */
export function createClient(options: PetstoreClientOptions, time: Time): PetstoreClient {
  const request = createRequest(options, time);
  return {
    request,
    listBooks: (query = {}, call = {}) =>
      createCall(request('get', '/books', { params: { query }, ...call }), (body: unknown, response) => {
        if (!Array.isArray(body) || !body.every(isBook)) throw unexpectedResponse(response);
        return body;
      }),
    createBook: (body, call = {}) =>
      createCall(request('post', '/books', { body, ...call }), (book: unknown, response) => {
        if (!isBook(book)) throw unexpectedResponse(response);
        return book;
      }),
  };
}

/** A proxy may have sent another body. */
function isBook(value: unknown): value is Book {
  const { id, title } = (value ?? {}) as Partial<Book>;
  return Number.isSafeInteger(id) && typeof title === 'string';
}
