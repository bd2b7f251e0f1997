import { expect } from 'chai';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import { RawConnection, sendRaw } from '../../support/clients/raw-connection.js';
import { assertConforms } from '../../support/contract/conformance.js';
import { closeService, startService, type TestService } from '../../support/servers/service.js';

const { document } = await readContract(contractUrl);
const { headerLinesMax, headerBytesMax } = document['x-request-limits'];

describe('the limit of header lines', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => closeService(service));

  /** A request with `lineCount` header lines. */
  const list = (lineCount: number) => {
    const lines = ['Host: x', `Authorization: Bearer ${service.token}`];
    while (lines.length < lineCount) lines.splice(1, 0, `X-Line: ${String(lines.length)}`);
    return `GET /v1/pets HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
  };

  it('accepts as many header lines as the contract allows', async () => {
    expect((await sendRaw(service, list(headerLinesMax))).status).to.equal(200);
  });

  for (const [title, lineCount] of [
    ['one header line more', headerLinesMax + 1],
    ['1,500 header lines', 15 * headerLinesMax],
  ] as const) {
    it(`rejects ${title} with 431, and closes the connection`, async () => {
      const connection = await RawConnection.open(service);
      // The second request would be the rest of the first one's header lines if any were dropped.
      connection.send(`${list(lineCount).replaceAll(/X-Line: \d+/g, 'x:')}${list(2)}`);
      const response = await connection.readResponse();
      assertConforms('GET', '/v1/-', response);
      expect(response.headers).to.include({ connection: 'close' });
      expect(JSON.parse(response.text)).to.deep.equal({
        code: 'headers_too_large',
        message:
          `The headers exceed ${String(headerLinesMax)} lines or ${String(headerBytesMax)} bytes. Send fewer or ` +
          'shorter headers.',
        status: 431,
      });
      await connection.whenEnded();
      expect(connection.rest).to.equal('');
    });
  }
});
