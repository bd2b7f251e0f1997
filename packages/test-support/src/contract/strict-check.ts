import { errorCodesOf, everySource } from '@contract-server/core/contract/error-codes.js';
import type { DeclaredResponse } from '@contract-server/core/contract/responses.js';
import { schemasOf } from '@contract-server/core/contract/schemas.js';
import {
  createResponseCheck,
  type ResponseCheck,
  type ResponseRules,
} from '@contract-server/testing/create-response-check.js';
import { type ReceivedResponse, ResponseViolations } from '@contract-server/testing/response-violations.js';
import { loadTestedContract } from '@contract-server/testing/tested-contract.js';
import { expect } from 'chai';

/** Headers of HTTP and CORS, which the contract does not declare. */
const transportHeaders = [
  ...['cache-control', 'connection', 'content-length', 'content-type', 'date', 'keep-alive', 'transfer-encoding'],
  ...['vary', 'x-content-type-options'],
  ...['access-control-allow-headers', 'access-control-allow-methods', 'access-control-allow-origin'],
  ...['access-control-expose-headers', 'access-control-max-age'],
];

/** The headers that a response has because of its status. */
const requiredHeaders: Readonly<Record<number, string>> = { 405: 'allow', 429: 'retry-after', 503: 'retry-after' };

/**
 * Creates a check that is stricter than that of `@contract-server/testing`, for contracts of which every operation has
 * the same `default` response: fewer headers are exempt, every error body has exactly `code`, `message` and `status`,
 * and the responses of the server itself conform to `default`: to OPTIONS, and outside the path prefix.
 */
export async function createStrictCheck(url: URL, rules: ResponseRules = {}): Promise<ResponseCheck> {
  const contract = await loadTestedContract({ contract: url });
  const { document, prefix } = contract;
  const sharedDefault = contract.sharedDefault as DeclaredResponse;
  const check = await createResponseCheck({ contract: url, undeclaredHeaders: transportHeaders, ...rules });
  const violations = new ResponseViolations(schemasOf(document));

  /** Outside the path prefix, only the limit of documents sends rate-limit headers. */
  const assertDefault = (where: string, method: string, isApi: boolean, received: ReceivedResponse) => {
    const { status } = received;
    if (status < 400) expect([method, status], where).to.deep.equal(['OPTIONS', 204]);
    const declared = [...sharedDefault.headers];
    const headers = declared.filter(([name]) => isApi || !/ratelimit/i.test(name) || status === 429);
    const found = [
      ...violations.ofBody(method, status === 204 ? { ...sharedDefault, content: [] } : sharedDefault, received),
      ...violations.ofHeaders({ headers: new Map(headers) }, received.headers, transportHeaders),
    ];
    expect(found, where).to.deep.equal([]);
  };

  const assertError = (where: string, { status, text }: ReceivedResponse) => {
    const body = JSON.parse(text) as { readonly code: string };
    expect(body, where).to.have.all.keys('code', 'message', 'status').and.include({ status });
    const { [body.code]: listed } = errorCodesOf(contract, {}, everySource);
    expect(listed, `${where}: ${body.code} in x-error-codes`).to.include({ status });
  };

  return (method, target, received) => {
    const { status, headers } = received;
    const where = `${method} ${target} returns ${String(status)}`;
    // Browsers must not guess the media type (Fetch standard, "X-Content-Type-Options").
    expect(headers, where).to.include({ 'x-content-type-options': 'nosniff' });
    check(method, target, received);
    const path = target.split('?', 1)[0] ?? '';
    const isApi = path === prefix || path.startsWith(`${prefix}/`);
    // The contract does not declare documents and health checks.
    if (!isApi && status < 400 && status !== 204) return;
    if (!isApi || method === 'OPTIONS') assertDefault(where, method, isApi, received);
    assertHeaders(where, method, received);
    if (status >= 400 && received.text !== '') assertError(where, received);
  };
}

function assertHeaders(where: string, method: string, { status, headers, text }: ReceivedResponse): void {
  const required = method === 'OPTIONS' && status === 204 ? 'allow' : requiredHeaders[status];
  if (required !== undefined) expect(headers, where).to.have.property(required);
  if (text !== '') expect(headers['content-type'], where).to.equal('application/json');
}
