import { compile, folder } from '@contract-server/test-support/compile-types.js';
import { expect } from 'chai';

const imports = `
  import { type Caller, createRouter, errorsOf, type Handler, type Handlers, type OperationResponse } from '#src/index.js';
  import type { Contract } from '@contract-server/test-support/second-contract/generated/contract.js';
  interface User extends Caller { readonly email: string }
  interface Callers { readonly apiKey: User }
  const ApiError = errorsOf<Contract>();
`;
const book = `{ isbn: '9780262011532', title: 'SICP', genre: 'science', year: 1985 } as const`;

/** Code with one error, and the last lines of its message. */
const cases: readonly (readonly [title: string, code: string, message: string])[] = [
  [
    'a wrong type in the code of a handler',
    `export const getBook: Handler<Contract, 'getBook'> = async ({ path }) => {
      const isbn: number = path.isbn;
      return { status: 200, body: { ...${book}, year: isbn } };
    };`,
    "Type 'string' is not assignable to type 'number'.",
  ],
  [
    'an option of a deployment with another value',
    `export const router = createRouter<Contract>()({
      contract: 'a', handlers: {} as never, security: {} as never, trailingSlashes: 'ignored',
    });`,
    `Type '"ignored"' is not assignable to type '"strict" | "ignore" | undefined'. Did you mean '"ignore"'?`,
  ],
  [
    'a missing handler',
    `type Some = Pick<Handlers<Contract>, 'getBook' | 'removeBook'>;
    export const handlers: Some = { getBook: async () => ({ status: 200, body: ${book} }) };`,
    "Property 'removeBook' is missing in type '{ getBook: () => Promise<{ status: 200; body: { readonly isbn: " +
      `"9780262011532"; readonly title: "SICP"; readonly genre: "science"; readonly year: 1985; }; }>; }' but ` +
      "required in type 'Some'.",
  ],
  [
    'an undeclared status',
    `export const getBook: Handler<Contract, 'getBook'> = async () => ({ status: 201, body: ${book} });`,
    "Types of property 'status' are incompatible.\n" +
      `Type 'number' is not assignable to type 'DeclaredStatus<"getBook", 200 | 401 | 404>'.`,
  ],
  [
    'a missing field',
    `export const addBook: Handler<Contract, 'addBook'> = async () => ({ status: 201, body: { isbn: '1', genre: 'science' } });`,
    `Property 'title' is missing in type '{ isbn: string; genre: "science"; }' but required in type '{ readonly isbn: ` +
      'string; readonly title: string; readonly genre: "fiction" | "history" | "science"; readonly year?: number; ' +
      "readonly shelf?: number | bigint | null; }'.",
  ],
  [
    'a field of the wrong type',
    `export const getBook: Handler<Contract, 'getBook'> = async () => ({ status: 200, body: { ...${book}, year: '1985' } });`,
    "Types of property 'year' are incompatible.\nType 'string' is not assignable to type 'number'.",
  ],
  [
    'an undeclared field, where the type of the response is written',
    `export async function getBook(): Promise<OperationResponse<Contract, 'getBook'>> {
      return { status: 200, body: { isbn: '1', title: 'SICP', genre: 'science', pages: 657 } };
    }`,
    "Object literal may only specify known properties, and 'pages' does not exist in type '{ readonly isbn: string; " +
      'readonly title: string; readonly genre: "fiction" | "history" | "science"; readonly year?: number; readonly ' +
      "shelf?: number | bigint | null; } | { readonly code: string; readonly message: string; readonly status: number; }'.",
  ],
  [
    'text that is not JSON text',
    `export const getBook: Handler<Contract, 'getBook'> = async () => ({ status: 404, body: 'SICP' });`,
    `Type 'string' is not assignable to type 'JsonBody<Contract, "getBook", 404, "application/json">'.`,
  ],
  [
    'a field of the wrong type, in JSON beside XML',
    `interface Media { readonly 'application/json': { readonly id: number }; readonly 'application/xml': unknown }
    interface Operations { readonly getCd: { readonly responses: { readonly 200: { readonly content: Media } } } }
    interface Cds extends Omit<Contract, 'operations' | 'defaults'> {
      readonly operations: Operations;
      readonly defaults: { readonly getCd: { readonly query: never; readonly header: never; readonly body: never } };
    }
    export const getCd: Handler<Cds, 'getCd'> = async () => ({ status: 200, body: { id: '1' } });`,
    "Types of property 'id' are incompatible.\nType 'string' is not assignable to type 'number'.",
  ],
  [
    'an undeclared header',
    `export const getBook: Handler<Contract, 'getBook'> =
      async () => ({ status: 200, body: ${book}, headers: { Link: '' } });`,
    "Types of property 'headers' are incompatible.\nType '{ Link: string; }' is not assignable to type 'never'.",
  ],
  [
    'a wrong error code',
    `throw new ApiError('book_lost', 'The book is lost.');`,
    `Argument of type '"book_lost"' is not assignable to parameter of type 'ErrorCode<Contract>'.`,
  ],
  [
    'a caller that may be absent',
    `export const getLoan: Handler<Contract, 'getLoan', Callers> =
      async (_request, { caller }) => Promise.reject(new Error(caller.email));`,
    "'caller' is possibly 'undefined'.",
  ],
  [
    'a caller of a scheme that may be absent',
    `export const getLoan: Handler<Contract, 'getLoan', Callers> =
      async (_request, { callers }) => Promise.reject(new Error(callers.apiKey.email));`,
    "'callers.apiKey' is possibly 'undefined'.",
  ],
  [
    'a field that the caller does not have',
    `export const getBook: Handler<Contract, 'getBook', Callers> =
      async (_request, { caller }) => Promise.reject(new Error(caller.phone));`,
    "Property 'phone' does not exist on type 'User'.",
  ],
  [
    'a caller of a scheme that the operation does not have',
    `export const getBook: Handler<Contract, 'getBook', Callers> =
      async (_request, { callers }) => Promise.reject(new Error(callers.token));`,
    "Property 'token' does not exist on type '{ readonly apiKey: User; }'.",
  ],
];

describe('the message of the compiler', function () {
  this.timeout(60_000);

  let messages: readonly (readonly string[])[];
  before(() => {
    const files = cases.map(([, code], index) => [`${folder}types/case-${String(index)}.ts`, imports + code] as const);
    messages = compile(new Map(files));
  });

  for (const [index, [title, , expected]] of cases.entries())
    it(`names ${title}`, () => {
      expect(messages[index]).to.have.lengthOf(1);
      const lines = (messages[index]?.[0] ?? '').split('\n').map((line) => line.trim());
      expect(lines.slice(-expected.split('\n').length).join('\n')).to.equal(expected);
    });
});
