import { compile, folder } from '@contract-server/test-support/compile-types.js';
import { expect } from 'chai';

const imports = `
  import { createRouter, validatedOf } from '#src/index.js';
  import type { Contract } from '@contract-server/test-support/notes/generated/contract.js';
  const router = createRouter<Contract>();
  const contract = 'contract.yaml';
  const security = { token: (text: string) => ({ id: text, email: '' }) };
  const validated = validatedOf<Contract, { readonly token: { readonly id: string; readonly email: string } }>();`;
const listNotes = `listNotes: async ({ query }) => ({ status: 200, body: [] as { id: number; owner: string; text: string }[], length: query.limit.toFixed() })`;

/** Options of a router, and what its compiler reports: the end of each message. */
const cases: readonly (readonly [title: string, code: string, messages: readonly string[]])[] = [
  [
    'requires every handler',
    `void router({ contract, security, handlers: { ${listNotes}, createNote: 'next' } });`,
    [`Property 'getNote' is missing`],
  ],
  [
    'requires no handler with `unhandled`, nor a security handler',
    `void router({ contract, unhandled: 'next', handlers: { ${listNotes} } });`,
    [],
  ],
  [
    'infers callers with `unhandled`',
    `void router({ contract, unhandled: 'next', security, handlers: {
      createNote: async ({ body }, { caller }) => ({ status: 201, body: { id: 1, owner: caller.email, text: body.text } }),
    } });`,
    [],
  ],
  [
    'refuses a handler of an unknown operation with `unhandled`',
    `void router({ contract, unhandled: 'next', security, handlers: { listNote: 'next' } });`,
    [`'listNote' does not exist in type`],
  ],
  [
    'refuses another value of `unhandled`',
    `void router({ contract, unhandled: 'skip', security, handlers: { listNotes: 'next', createNote: 'next', getNote: 'next' } });`,
    [`Type '"skip"' is not assignable to type '"next"'.`],
  ],
  [
    'types hooks by their operation',
    `void router({ contract, unhandled: 'next', security, handlers: {},
      before: { createNote: async ({ body }, { caller }) => { const sent: [string, string] = [body.text, caller.email]; void sent; } },
      after: { getNote: async ({ path }, _response, { operationId }) => ({ status: 201, body: { id: path.id, owner: operationId, text: '' } }) },
    });`,
    [`Type '201' is not assignable to type`],
  ],
  [
    'has the values of a request that was passed on',
    `declare const request: import('express').Request;
    const { path, body, context } = validated(request, 'getNote');
    export const id: number | bigint = path.id;
    export const none: undefined = body;
    export const email: string = context.caller.email;
    validated(request, 'getNotes');`,
    [`Argument of type '"getNotes"' is not assignable to parameter of type 'OperationId<Contract>'.`],
  ],
];

describe('the types of createRouter', function () {
  this.timeout(60_000);

  let messages: readonly (readonly string[])[];
  before(() => {
    const files = cases.map(
      ([, code], index) => [`${folder}types/router-${String(index)}.ts`, imports + code] as const,
    );
    messages = compile(new Map(files));
  });

  for (const [index, [title, , expected]] of cases.entries())
    it(title, () => {
      const found = messages[index] ?? [];
      expect(found, found.join('\n')).to.have.length(expected.length);
      for (const [at, message] of expected.entries()) expect(found[at]?.includes(message), found[at]).to.equal(true);
    });
});
