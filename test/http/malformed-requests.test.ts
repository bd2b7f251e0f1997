import { expect } from 'chai';
import { RawConnection } from '../support/clients/raw-connection.js';
import { request } from '../support/clients/request.js';
import { assertConforms, type ReceivedResponse } from '../support/contract/conformance.js';
import { startService, type TestService } from '../support/servers/service.js';
import { type Expected, keyMark, rejected, served, smuggled } from './malformed-requests.js';

/** Error codes of responses that belong to no operation. */
const protocolCode = /"code":"(malformed_http|uri_too_long|headers_too_large|expectation_failed|not_implemented)"/;
const valid = `GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${keyMark}\r\n\r\n`;

/** The ways in which the bytes of a request arrive. They do not change the response. */
const deliveries: Readonly<Record<string, (bytes: string, connection: RawConnection) => Promise<void> | void>> = {
  'at once': (bytes, connection) => connection.send(Buffer.from(bytes, 'latin1')),
  'in pieces': async (bytes, connection) => {
    // One in each event-loop iteration, so that the server reads them one by one.
    const length = Math.max(7, Math.ceil(bytes.length / 60));
    for (let at = 0; at < bytes.length; at += length) {
      connection.send(Buffer.from(bytes.slice(at, at + length), 'latin1'));
      await new Promise(setImmediate);
    }
  },
};

describe('a malformed or unusual request', () => {
  let service: TestService;
  let connection: RawConnection;
  before(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    connection = await RawConnection.open(service);
  });
  afterEach(() => connection.end());
  after(async () => {
    expect(service.reported).to.deep.equal([]);
    const { text } = await request(service).get('/v1/pets?limit=100');
    expect(text).not.to.include('Smuggled');
  });

  const expectResponse = async (bytes: string, expected: Expected, isHead = false) => {
    const [, method = '', target = ''] = /^(?:\r\n)*(\S*) (\S*)/.exec(bytes) ?? [];
    const response = await connection.readResponse(isHead);
    const { status, text } = response;
    const code = status < 400 || text === '' ? '' : ` ${(JSON.parse(text) as { code: string }).code}`;
    expect(expected).to.equal(`${String(status)}${code}`);
    if (!isHead) assertResponse(response, method, target);
  };
  const assertResponse = (response: ReceivedResponse, method: string, target: string) => {
    const { headers, text } = response;
    const isProtocolError = protocolCode.test(text);
    if (isProtocolError) {
      assertConforms('GET', '/v1/-', response);
      expect(headers).to.include({ connection: 'close', 'cache-control': 'no-store' });
    } else assertConforms(method, target.replace(/^\w+:\/\/[^/]*/, ''), response);
    for (const secret of [service.token, service.directory, 'node:', '.js:', 'HPE_'])
      expect(`${JSON.stringify(headers)}${text}`).not.to.include(secret);
  };
  const withKey = (bytes: string) => bytes.replaceAll(keyMark, service.token);

  for (const [way, send] of Object.entries(deliveries)) {
    for (const [rule, requests] of rejected) {
      it(`is the last one of its connection if it breaks the rule, sent ${way}: ${rule}`, async () => {
        for (const [expected, all] of Object.entries(requests)) {
          for (const bytes of all) {
            connection = await RawConnection.open(service);
            const sending = send(withKey(`${bytes}${smuggled}`), connection);
            await expectResponse(bytes, expected);
            await sending;
            connection.endSending();
            await connection.whenEnded();
            expect(connection.rest).to.equal('');
            connection.end();
          }
        }
      });
    }

    for (const [rule, requests] of served) {
      it(`leaves its connection open, sent ${way}: ${rule}`, async () => {
        for (const [expected, all] of Object.entries(requests)) {
          for (const bytes of all) {
            await send(withKey(`${bytes}${valid}`), connection);
            await expectResponse(bytes, expected);
            await expectResponse(valid, '200');
          }
        }
      });
    }
  }

  it('receives its response after that of a valid request before it', async () => {
    for (const [, requests] of rejected) {
      for (const [expected, [bytes = '']] of Object.entries(requests)) {
        connection = await RawConnection.open(service);
        connection.send(Buffer.from(withKey(`${valid}${bytes}`), 'latin1'));
        await expectResponse(valid, '200');
        await expectResponse(bytes, expected);
        connection.end();
      }
    }
  });

  it('receives only the headers of the response if it is a HEAD request (RFC 9110, section 9.3.2)', async () => {
    for (const [, requests] of rejected) {
      for (const [expected, all] of Object.entries(requests)) {
        const [bytes] = all.filter((each) => /^GET .* HTTP\/1\.1\r\n/.test(each));
        if (bytes === undefined) continue;
        connection = await RawConnection.open(service);
        connection.send(Buffer.from(withKey(bytes.replace('GET ', 'HEAD ')), 'latin1'));
        await expectResponse(bytes.replace('GET ', 'HEAD '), expected.slice(0, 3), true);
        connection.endSending();
        await connection.whenEnded();
        expect(connection.rest).to.equal('');
        connection.end();
      }
    }
  });
});
