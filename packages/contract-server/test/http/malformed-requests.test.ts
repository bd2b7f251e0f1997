import { RawConnection } from '@contract-server/test-support/clients/raw-connection.js';
import { client, creation, get } from '@contract-server/test-support/clients/raw-requests.js';
import { assertConforms, request, useToys } from '@contract-server/test-support/servers/toys.js';
import { expect } from 'chai';
import { type Rules, rejected, served } from './malformed-requests.js';

/** Error codes of responses that belong to no operation. */
const protocolCode = /"code":"(malformed_http|uri_too_long|headers_too_large|expectation_failed|not_implemented)"/;
const valid = get(client);
/** A creation that must never be served. */
const smuggled = creation(client, '{"name":"Smuggled","weight":1}\n');

type Send = (bytes: Buffer, connection: RawConnection) => Promise<void> | void;

const sendAtOnce: Send = (bytes, connection) => connection.send(bytes);
const sendInPieces: Send = async (bytes, connection) => {
  // One in each event-loop iteration, so that the server reads them one by one.
  const length = Math.max(7, Math.ceil(bytes.length / 60));
  for (let at = 0; at < bytes.length; at += length) {
    connection.send(bytes.subarray(at, at + length));
    await new Promise(setImmediate);
  }
};
/** The ways in which the bytes of a request arrive. They do not change the response. */
const ways: readonly (readonly [title: string, before: string, send: Send])[] = [
  ['at once', '', sendAtOnce],
  ['in pieces', '', sendInPieces],
  ['after a valid request', valid, sendAtOnce],
];

const rowsOf = (all: Rules) =>
  Object.entries(all).flatMap(([expected, rules]) =>
    Object.entries(rules).map(([rule, requests]) => [rule, expected, requests] as const),
  );

describe('a malformed or unusual request', () => {
  const service = useToys();
  after(async () => {
    expect(service.reported).to.deep.equal([]);
    expect((await request(service).get('/v1/toys?limit=100')).text).not.to.include('Smuggled');
  });

  const bytesOf = (text: string) => Buffer.from(text.replaceAll(client.token, service.token), 'latin1');

  const expectResponse = async (connection: RawConnection, bytes: string, expected: string) => {
    const [, method = '', target = ''] = /^(?:\r\n)*(\S*) (\S*)/.exec(bytes) ?? [];
    const response = await connection.readResponse(method === 'HEAD');
    const { status, headers, text } = response;
    const code = status < 400 || text === '' ? '' : ` ${(JSON.parse(text) as { code: string }).code}`;
    expect(`${String(status)}${code}`, bytes.slice(0, 500)).to.equal(expected);
    if (method === 'HEAD') return;
    if (protocolCode.test(text)) {
      assertConforms('GET', '/v1/-', response);
      expect(headers).to.include({ connection: 'close', 'cache-control': 'no-store' });
    } else assertConforms(method, target.replace(/^\w+:\/\/[^/]*/, ''), response);
    for (const secret of [service.token, service.directory, 'node:', '.js:', 'HPE_'])
      expect(`${JSON.stringify(headers)}${text}`).not.to.include(secret);
  };
  const expectClosed = async (connection: RawConnection) => {
    connection.endSending();
    await connection.whenEnded();
    expect(connection.rest).to.equal('');
  };

  for (const [way, before, send] of ways) {
    for (const [rule, expected, requests] of rowsOf(rejected))
      it(`is the last one of its connection if it breaks the rule, sent ${way}: ${rule}`, async () => {
        for (const bytes of requests) {
          const connection = await RawConnection.open(service);
          const sending = send(bytesOf(before + bytes + smuggled), connection);
          if (before !== '') await expectResponse(connection, before, '200');
          await expectResponse(connection, bytes, expected);
          await sending;
          await expectClosed(connection);
        }
      });

    for (const [rule, expected, requests] of rowsOf(served))
      it(`leaves its connection open, sent ${way}: ${rule}`, async () => {
        const connection = await RawConnection.open(service);
        for (const bytes of requests) {
          await send(bytesOf(bytes + valid), connection);
          await expectResponse(connection, bytes, expected);
          await expectResponse(connection, valid, '200');
        }
      });
  }

  it('receives only the headers of the response if it can be parsed as HEAD (RFC 9110, section 9.3.2)', async () => {
    for (const bytes of ['HEAD / HTTP/2.0\r\n\r\n', 'HEAD / HTTP/1.1\r\n\r\n']) {
      const connection = await RawConnection.open(service, bytes);
      await expectResponse(connection, bytes, '400');
      await expectClosed(connection);
    }
  });
});
