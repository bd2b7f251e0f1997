/**
 * Type errors that the handlers' types must cause. Nothing here runs: `tsc` fails if a marked line compiles. Next to
 * each error is valid code, which shows that the error is the intended one.
 */

import { type Json, stringifyJson } from '@contract-server/core/json/exact-json.js';
import { type ErrorCode, errorsOf } from '@contract-server/core/lib/errors.js';
import type {
  Handler,
  Handlers,
  OperationRequest,
  OperationResponse,
  Schema,
} from '@contract-server/core/types/types.js';
import type { Contract } from '@contract-server/test-support/second-contract/generated/contract.js';
import type { ApiKeyCaller } from '#src/api-keys.js';

const ApiError = errorsOf<Contract>();
type Book = Schema<Contract, 'Book'>;
interface Callers {
  readonly apiKey: ApiKeyCaller;
}

declare const searchBooks: Handler<Contract, 'searchBooks'>;
declare const addBook: Handler<Contract, 'addBook'>;
declare const getBook: Handler<Contract, 'getBook'>;
type ThreeHandlers = Pick<Handlers<Contract>, 'searchBooks' | 'addBook' | 'getBook'>;
declare const body: Json<Book>;

// Every operation with a successful response has a handler, and every handler an operation of the contract.
export const complete: ThreeHandlers = { searchBooks, addBook, getBook };
// @ts-expect-error -- getBook is missing.
export const incomplete: ThreeHandlers = { searchBooks, addBook };
// @ts-expect-error -- takeInventory declares no successful response.
export type ReservedHandler = Handlers<Contract>['takeInventory'];
// @ts-expect-error -- An operationId has no blank.
export const superfluous: ThreeHandlers = { searchBooks, addBook, getBook, 'no operation': getBook };
// @ts-expect-error -- These are handlers of other operations.
export const swapped: ThreeHandlers = { searchBooks, addBook: getBook, getBook: addBook };

// A response has a status that the contract declares for the operation, with the body declared for the status.
type Found = OperationResponse<Contract, 'getBook'>;
export const found: Found = { status: 200, body };
// @ts-expect-error -- getBook does not return 201.
export const created: Found = { status: 201, body };
// @ts-expect-error -- searchBooks returns an array.
export const single: OperationResponse<Contract, 'searchBooks'> = { status: 200, body };
const fields = { isbn: '9780262510875', title: 'SICP', genre: 'science' } as const;
export const plain: Found = { status: 200, body: { ...fields, shelf: 7n } };
// @ts-expect-error -- A Book has no pages.
export const paged: Found = { status: 200, body: { isbn: '1', title: 'SICP', genre: 'science', pages: 3 } };
// @ts-expect-error -- A Book has a title.
export const untitled: Found = { status: 200, body: { isbn: '1', genre: 'science' } };
// @ts-expect-error -- A body is the JSON text of a Book, not any string.
export const anyText: Found = { status: 200, body: '{}' };
// @ts-expect-error -- The response has a body.
export const bodiless: Found = { status: 200 };

// A body has the fields that the contract declares, no more and no fewer.
export const whole: Json<Book> = stringifyJson<Book>({ ...fields, shelf: 9007199254740993n });
// @ts-expect-error -- A Book has no pages.
export const tooMany: Json<Book> = stringifyJson<Book>({ ...fields, pages: 3 });
// @ts-expect-error -- A Book has a title.
export const tooFew: Json<Book> = stringifyJson<Book>({ isbn: '1', genre: 'science' });
// @ts-expect-error -- Genre has no value 'poetry'.
export const noGenre: Json<Book> = stringifyJson<Book>({ ...fields, genre: 'poetry' });

// A response has only declared headers.
type Added = OperationResponse<Contract, 'addBook'>;
export const declared: Added = { status: 201, body, headers: { Location: '/1' } };
// @ts-expect-error -- addBook returns no Link.
export const linked: Added = { status: 201, body, headers: { Link: '</>; rel="next"' } };

// A handler receives declared values only: with defaults, wide integers as bigint, and headers in lower case.
declare const search: OperationRequest<Contract, 'searchBooks'>;
declare const addition: OperationRequest<Contract, 'addBook'>;
declare const loan: OperationRequest<Contract, 'getLoan'>;
export const order: 'isbn' | 'title' = search.query.order;
export const year: number = addition.body.year;
export const shelf: number | bigint | null | undefined = addition.body.shelf;
export const floor: number = loan.path.floor;
export const trace: number | undefined = loan.header['x-trace'];
// @ts-expect-error -- The header may be absent.
export const traceAlways: number = loan.header['x-trace'];
// @ts-expect-error -- addBook declares no such header: a handler does not receive the API key.
export const authorization: unknown = addition.header.authorization;
// @ts-expect-error -- searchBooks has no parameter page.
export const page: unknown = search.query.page;
// @ts-expect-error -- A client does not send pages.
export const pages: unknown = addition.body.pages;
// @ts-expect-error -- The filter has no default, so it may be absent.
export const filter: boolean = search.query.available;
// @ts-expect-error -- A validated body is read-only.
addition.body.title = 'Emma';

// A handler receives its caller, who has an API key, the quota and the bytes of the body, but not the response.
type GetBook = Handler<Contract, 'getBook', Callers>;
export const ofCaller: GetBook = (_call, { caller, callers, bodyBytes }) =>
  Promise.reject(new ApiError('book_not_found', `${caller.id} ${callers.apiKey.id} ${String(bodyBytes.length)}`));
// @ts-expect-error -- A request may have no quota.
export const ofQuota: GetBook = (_call, { quotaId }) => Promise.reject(new TypeError(quotaId.trim()));
// @ts-expect-error -- A handler does not receive the response.
export const ofResponse: GetBook = (_call, { response }) => Promise.reject(new TypeError(String(response)));

// An ApiError has a code of the contract's x-error-codes.
export const known: ErrorCode<Contract> = new ApiError('book_not_found', 'There is no such book.').code;
// @ts-expect-error -- The contract has no code `no code`.
export const unknown = new ApiError('no code', 'There is no such book.');
