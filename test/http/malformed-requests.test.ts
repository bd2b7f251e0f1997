import { sendRaw } from '@contract-server/test-support/clients/raw-connection.js';
import { creationHead, get, json, lengthOf, nonsense } from '@contract-server/test-support/clients/raw-requests.js';
import { expect } from 'chai';
import { assertConforms } from '../support/contract/own-conformance.js';
import { rexText } from '../support/pets.js';
import { useService } from '../support/servers/service.js';

const client = { token: '<key>', path: '/v1/pets' };
const create = (header: string) => creationHead(client, json, header, lengthOf(rexText)) + rexText;

// malformed-requests.ts of contract-server has every rule.
describe('a malformed request', () => {
  const service = useService();

  for (const [target, status, code, bytes] of [
    ['/v1/-', 400, 'malformed_http', nonsense],
    ['/v1/-', 414, 'uri_too_long', get(client, `/${'x'.repeat(8000)}`)],
    ['/v1/-', 417, 'expectation_failed', create('Expect: x')],
    ['/v1/-', 431, 'headers_too_large', create(`X: ${'x'.repeat(20_000)}`)],
    ['/v1/pets', 415, 'unsupported_media_type', create('Content-Encoding: gzip')],
  ] as const)
    it(`returns ${String(status)} ${code} as the contract declares`, async () => {
      const response = await sendRaw(service, bytes.replace(client.token, service.token));
      assertConforms('POST', target, response);
      expect(JSON.parse(response.text)).to.include({ code, status });
    });
});
