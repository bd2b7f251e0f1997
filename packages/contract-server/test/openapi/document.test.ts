import { expect } from 'chai';
import {
  type ContractDocument,
  findBodyRule,
  findHeaderSchema,
  idempotencyRetentionSecondsOf,
  limitMaxOf,
  requireBodyRule,
} from '#src/openapi/document.js';

const schema = { $ref: '#/components/schemas/Thing' };
const body = { required: true, content: { 'application/json': { schema } } };
const bodies: Readonly<Record<string, object | undefined>> = {
  inline: body,
  referenced: { $ref: '#/components/requestBodies/Thing' },
  large: { ...body, 'x-max-body-bytes': 1_000_000, 'x-max-body-values': 20_000 },
  wrong: { $ref: '#/components/requestBodies/None' },
  none: undefined,
};
const document = {
  openapi: '3.0.4',
  components: { requestBodies: { Thing: body } },
  paths: Object.fromEntries(
    Object.entries(bodies).map(([operationId, requestBody]) => [
      `/${operationId}`,
      { post: { operationId, requestBody, responses: {} } },
    ]),
  ),
} as unknown as ContractDocument;

describe('findBodyRule', () => {
  const find = (id: string) => findBodyRule(document, id);

  it('returns the same rule for a referenced body and an inline one', () => {
    const rule = { mediaType: 'application/json', bytesMax: 65_536, valuesMax: 1000, isRequired: true, schema };
    for (const id of ['referenced', 'inline']) expect(find(id)).to.deep.equal(rule);
  });

  it('has the limits of the body', () => {
    expect(find('large')).to.include({ bytesMax: 1_000_000, valuesMax: 20_000 });
  });

  it('returns undefined for an operation without a body, for which requireBodyRule throws', () => {
    expect(find('none')).to.equal(undefined);
    expect(() => requireBodyRule(document, 'none')).to.throw(TypeError, 'none has no body.');
  });

  it('throws if the reference does not resolve', () => {
    expect(() => find('wrong')).to.throw(TypeError, 'The contract has no #/components/requestBodies/None.');
  });
});

const count = { type: 'integer', maximum: 500 };
const headers = { 'x-ratelimit-limit': { $ref: '#/components/headers/Limit' } };
const post = {
  operationId: 'create',
  parameters: [{ $ref: '#/components/parameters/Retry' }],
  responses: { default: { $ref: '#/components/responses/Error' } },
};
const get = { operationId: 'list', responses: { 200: { description: 'All.', headers: {} } } };
/** Its components have other names than its headers. */
const contract = {
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
    expect(findHeaderSchema(contract, 'X-RateLimit-Limit')).to.deep.equal(count);
    expect(findHeaderSchema(contract, 'X-Request-Id')).to.equal(undefined);
  });
});

describe('limitMaxOf', () => {
  it('is the maximum of X-RateLimit-Limit, or that of a structured field', () => {
    expect(limitMaxOf(contract)).to.equal(500);
    expect(limitMaxOf({ ...contract, paths: {} })).to.equal(999_999_999_999_999);
  });
});

describe('idempotencyRetentionSecondsOf', () => {
  it('is that of a header of the operation, or a day', () => {
    const secondsOf = (id: string) => idempotencyRetentionSecondsOf(contract, id);
    expect(['create', 'list'].map(secondsOf)).to.deep.equal([60, 86_400]);
  });
});
