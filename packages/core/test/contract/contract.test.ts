import { expect } from 'chai';
import { contractOf, findHeaderSchema, idempotencyRetentionSecondsOf, limitMaxOf } from '#dist/contract/contract.js';
import type { ContractDocument } from '#dist/contract/document.js';

const count = { type: 'integer', maximum: 500 };
const headers = { 'x-ratelimit-limit': { $ref: '#/components/headers/Limit' } };
const post = {
  operationId: 'create',
  parameters: [{ $ref: '#/components/parameters/Retry' }],
  responses: { default: { $ref: '#/components/responses/Error' } },
};
const get = { operationId: 'list', responses: { 200: { description: 'All.', headers: {} } } };
/** Its components have other names than its headers. */
const document = {
  openapi: '3.0.4',
  paths: { '/things': { get, post } },
  components: {
    parameters: { Retry: { name: 'Retry-Key', in: 'header', schema: count, 'x-idempotency-retention-seconds': 60 } },
    responses: { Error: { description: 'An error.', headers } },
    headers: { Limit: { schema: { $ref: '#/components/schemas/Count' } }, 'X-Request-Id': { schema: count } },
    schemas: { Count: count },
  },
} as unknown as ContractDocument;

describe('findHeaderSchema', () => {
  it('finds the header of a response by its name, in any case', () => {
    expect(findHeaderSchema(contractOf(document), 'X-RateLimit-Limit')).to.deep.equal(count);
    expect(findHeaderSchema(contractOf(document), 'X-Request-Id')).to.equal(undefined);
  });
});

describe('limitMaxOf', () => {
  it('is the maximum of X-RateLimit-Limit, but not above that of a structured field', () => {
    expect(limitMaxOf(contractOf(document))).to.equal(500);
    expect(limitMaxOf(contractOf({ ...document, paths: {} }))).to.equal(999_999_999_999_999);
    const unsendable = { ...document.components, schemas: { Count: { ...count, maximum: 1e15 } } };
    expect(limitMaxOf(contractOf({ ...document, components: unsendable } as ContractDocument))).to.equal(
      999_999_999_999_999,
    );
  });
});

describe('idempotencyRetentionSecondsOf', () => {
  it('is that of a header of the operation, or a day', () => {
    const secondsOf = (id: string) => idempotencyRetentionSecondsOf(document, id);
    expect(['create', 'list'].map(secondsOf)).to.deep.equal([60, 86_400]);
  });
});
