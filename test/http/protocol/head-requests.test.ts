import { expect } from 'chai';
import fc from 'fast-check';
import { RawConnection } from '../../support/clients/raw-connection.js';
import { families } from '../../support/malformed-requests/families.js';
import { keyMark } from '../../support/malformed-requests/malformed-request.js';
import { startService } from '../../support/servers/service.js';

describe('a malformed HEAD request', () => {
  it('receives the headers of the response only (RFC 9110, section 9.3.2)', async () => {
    const service = await startService();
    const malformed = families.flatMap(({ requests }) =>
      fc
        .sample(requests, 20)
        .filter(({ bytes, keepsAlive, isUnfinished }) => /^GET /.test(bytes) && !keepsAlive && isUnfinished !== true)
        .map(({ bytes }) => bytes.replace('GET ', 'HEAD ').replaceAll(keyMark, service.token)),
    );
    expect(malformed).to.have.lengthOf.above(100);
    for (const [index, bytes] of malformed.entries()) {
      const isSecond = index % 2 === 1;
      const first = isSecond ? '\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n' : '';
      const connection = await RawConnection.open(service);
      connection.send(Buffer.from(`${first}${bytes}`, 'latin1'));
      if (isSecond) expect((await connection.readResponse()).status).to.equal(200);
      expect((await connection.readResponse(true)).headers, bytes).to.include({ connection: 'close' });
      await connection.whenEnded();
      expect(connection.rest, bytes).to.equal('');
      connection.end();
    }
    await service.close();
  });
});
