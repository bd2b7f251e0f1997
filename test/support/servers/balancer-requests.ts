import { expect } from 'chai';
import { RawConnection } from '../clients/raw-connection.js';
import type { ReceivedResponse } from '../contract/conformance.js';

export const host = 'Host: shop.example\r\n';

export async function sendRequest(port: number, bytes: string): Promise<ReceivedResponse> {
  const connection = await RawConnection.openTo({ address: '127.0.0.1', port });
  try {
    connection.send(bytes);
    return await connection.readResponse(bytes.startsWith('HEAD '));
  } finally {
    connection.end();
  }
}

export function expectError(
  response: ReceivedResponse,
  status: number,
  code: string,
  further: Readonly<Record<string, string>>,
): void {
  const { code: reported, message, status: bodyStatus, ...rest } = JSON.parse(response.text) as Record<string, unknown>;
  expect([response.status, reported, bodyStatus, rest]).to.deep.equal([status, code, status, {}]);
  expect(message).to.match(/^[A-Z].*\.$/);
  expect(response.headers).to.include({ 'content-type': 'application/json', 'cache-control': 'no-store', ...further });
  expect(response.headers).to.include({ 'x-content-type-options': 'nosniff' });
  expect(response.headers['x-request-id']).to.match(/^[0-9a-f]{32}$/);
}
