import { contractOf } from '@contract-server/core/contract/contract.js';
import type { ContractDocument } from '@contract-server/core/contract/document.js';
import { expect } from 'chai';
import { createRequestIds } from '#src/http/request-context.js';

const redactor = { redact: (text: string) => text };

/** Returns request ids as a contract declares them. */
function idsOf(schema: object | undefined) {
  const headers = schema && { 'X-Request-Id': { schema } };
  const operation = { operationId: 'ping', responses: { 200: { description: 'Done.', headers } } };
  const document = { openapi: '3.0.4', info: { title: 'Ping', version: '1' }, paths: { '/ping': { get: operation } } };
  return createRequestIds(contractOf(document as unknown as ContractDocument), redactor);
}

describe('the request id of a client', () => {
  /** Takes exponential time, for a client that is not authenticated. */
  const pattern = '^(a+)+$';
  for (const [schema, sent, isUsed] of [
    [undefined, 'a'.repeat(128), true],
    [undefined, 'a'.repeat(129), false],
    [{ type: 'string', pattern }, 'a'.repeat(20), true],
    [{ type: 'string', pattern }, `${'a'.repeat(15_000)}!`, false],
    [{ type: 'string', pattern, maxLength: 20 }, 'a'.repeat(20), true],
    [{ type: 'string', pattern, maxLength: 20 }, `${'a'.repeat(60)}!`, false],
    [{ type: 'string', pattern: '^[a-z]+$', maxLength: 200 }, 'a'.repeat(200), true],
  ] as const)
    it(`of ${String(sent.length)} characters ${isUsed ? 'is' : 'is not'} used, for ${JSON.stringify(schema)}`, () => {
      expect(idsOf(schema)(sent) === sent).to.equal(isUsed);
    });
});
