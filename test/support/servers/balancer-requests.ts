import { expect } from 'chai';
import { RawConnection } from '../clients/raw-connection.js';
import type { Answer } from '../contract/conformance.js';

export const host = 'Host: shop.example\r\n';

export async function ask(port: number, bytes: string): Promise<Answer> {
  const connection = await RawConnection.openTo({ address: '127.0.0.1', port });
  try {
    connection.send(bytes);
    return await connection.answer(bytes.startsWith('HEAD '));
  } finally {
    connection.end();
  }
}

export function expectError(
  answer: Answer,
  status: number,
  code: string,
  further: Readonly<Record<string, string>>,
): void {
  const { code: told, message, status: toldStatus, ...rest } = JSON.parse(answer.text) as Record<string, unknown>;
  expect([answer.status, told, toldStatus, rest]).to.deep.equal([status, code, status, {}]);
  expect(message).to.match(/^[A-Z].*\.$/);
  expect(answer.headers).to.include({ 'content-type': 'application/json', 'cache-control': 'no-store', ...further });
  expect(answer.headers).to.include({ 'x-content-type-options': 'nosniff' });
  expect(answer.headers['x-request-id']).to.match(/^[0-9a-f]{32}$/);
}
