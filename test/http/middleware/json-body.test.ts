import { expect } from 'chai';
import { RawConnection, sendRaw } from '../../support/clients/raw-connection.js';
import { request } from '../../support/clients/request.js';
import { assertConforms } from '../../support/contract/conformance.js';
import { apiError, responseOf } from '../../support/contract/response.js';
import { useNewService } from '../../support/servers/service.js';

const bytesMax = 65_536;
const tooLarge = apiError(413, 'body_too_large', 'The body exceeds 65536 bytes. Shorten it.');
const pet = '{"name":"Rex","categoryId":7}';

/** The pet as JSON text of a given length in bytes, padded with blanks, which count for the limit. */
const padded = (bytes: number) => pet.padEnd(bytes, ' ');

describe('a request body', () => {
  const service = useNewService();

  const head = (...lines: string[]) =>
    ['POST /v1/pets HTTP/1.1', 'Host: pets.example', `Authorization: Bearer ${service.token}`, ...lines, '', ''].join(
      '\r\n',
    );

  describe('length', () => {
    it('is accepted with 65,536 bytes', async () => {
      await request(service).post('/v1/pets').type('json').send(padded(bytesMax)).expect(201);
      const chunked = await sendRaw(
        service,
        `${head('Content-Type: application/json', 'Transfer-Encoding: chunked')}10000\r\n${padded(bytesMax)}\r\n0\r\n\r\n`,
      );
      expect(chunked.status).to.equal(201);
    });

    it('returns 413 with one byte more', async () => {
      expect(
        responseOf(
          await request(service)
            .post('/v1/pets')
            .type('json')
            .send(padded(bytesMax + 1)),
        ),
      ).to.deep.equal(tooLarge);
      await request(service).get('/v1/pets').expect(200, []);
    });

    it('is limited in bytes, not in characters', async () => {
      const text = `{"name":"Rex","categoryId":7,"x":"${'🐕'.repeat(16_384)}"}`;
      expect(text.length).to.be.below(bytesMax);
      expect(responseOf(await request(service).post('/v1/pets').type('json').send(text))).to.deep.equal(tooLarge);
    });

    it('returns 413 for a large Content-Length before the body arrives', async () => {
      const connection = await RawConnection.open(service);
      connection.send(head('Content-Type: application/json', 'Content-Length: 1000000000'));
      const response = await connection.readResponse();
      assertConforms('POST', '/v1/pets', response);
      expect(responseOf(response)).to.deep.equal(tooLarge);
      expect(response.headers).to.include({ connection: 'close' });
      connection.end();
    });

    it('returns 413 for a chunked body at the first byte beyond the limit', async () => {
      const connection = await RawConnection.open(service);
      connection.send(head('Content-Type: application/json', 'Transfer-Encoding: chunked'));
      connection.send(`10000\r\n${padded(bytesMax)}\r\n1\r\n \r\n`);
      const response = await connection.readResponse();
      assertConforms('POST', '/v1/pets', response);
      expect(responseOf(response)).to.deep.equal(tooLarge);
      expect(response.headers).to.include({ connection: 'close' });
      connection.end();
    });

    it('closes the connection after a 413, even if the whole body arrived while the request waited', async () => {
      const connection = await RawConnection.open(service);
      const get = ['GET /v1/pets HTTP/1.1', 'Host: pets.example', `Authorization: Bearer ${service.token}`, '', ''];
      const post = head('Content-Type: application/json', `Content-Length: ${String(bytesMax + 1)}`);
      connection.send(`${get.join('\r\n')}${post}${padded(bytesMax + 1)}${get.join('\r\n')}`);
      expect((await connection.readResponse()).status).to.equal(200);
      const response = await connection.readResponse();
      expect(responseOf(response)).to.deep.equal(tooLarge);
      expect(response.headers).to.include({ connection: 'close' });
      await connection.whenEnded();
      connection.end();
    });

    it('returns 413 at once and reads the rest, so that the response is not lost', async () => {
      const connection = await RawConnection.open(service);
      connection.send(head('Content-Type: application/json', 'Content-Length: 500000'));
      expect(responseOf(await connection.readResponse())).to.deep.equal(tooLarge);
      await connection.whenEnded();
      connection.send(Buffer.alloc(500_000, ' '));
      connection.endSending();
      await connection.whenClosed();
      expect(connection.isReset).to.equal(false);
    });

    it('is read for a second at most after it was rejected', async () => {
      const connection = await RawConnection.open(service);
      connection.send(head('Content-Type: application/json', 'Content-Length: 100000000'));
      expect(responseOf(await connection.readResponse())).to.deep.equal(tooLarge);
      connection.send(Buffer.alloc(50_000_000, ' '));
      await connection.whenEnded();
      connection.end();
    });

    it('leaves the connection open after a small body that was rejected unread', async () => {
      const connection = await RawConnection.open(service);
      connection.send(head('Content-Type: text/plain', 'Content-Length: 5') + 'hello');
      expect((await connection.readResponse()).status).to.equal(415);
      connection.send(`${head('Content-Type: application/json', `Content-Length: ${String(pet.length)}`)}${pet}`);
      expect((await connection.readResponse()).status).to.equal(201);
      connection.end();
    });

    it('is not requested with 100 Continue before authentication: 401 comes first', async () => {
      const connection = await RawConnection.open(service);
      connection.send('POST /v1/pets HTTP/1.1\r\nHost: pets.example\r\nContent-Length: 1000000000\r\n\r\n');
      expect((await connection.readResponse()).status).to.equal(401);
      connection.end();
    });
  });

  describe('media type', () => {
    const wrongType = apiError(
      415,
      'unsupported_media_type',
      'Send the body as JSON: Content-Type: application/json.',
      {
        accept: 'application/json',
      },
    );

    for (const type of [
      'application/json',
      'Application/JSON',
      'application/json; charset=utf-8',
      'application/json;charset=UTF-8',
      'application/json; charset="utf-8"',
      'application/json ; foo=bar',
      'application/json; CharSet="UTF\\-8"',
      'application/json; foo="; charset=utf-16"; charset=utf-8',
    ]) {
      it(`is accepted: ${type}`, async () => {
        await request(service).post('/v1/pets').set('Content-Type', type).send(pet).expect(201);
      });
    }

    for (const type of [
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/plain',
      'text/json',
      'application/jsonp',
      'application/merge-patch+json',
      'application/json; charset=iso-8859-1',
      'application/json; charset=utf-16',
      'application/json; charset=utf-8; charset=utf-16',
      'application/json; charset=utf-16; charset=utf-8',
      'application/json; charset=utf-8; charset=utf-8',
      'application/json;charset=utf-8;foo=";";CHARSET ="UTF-8"',
      '*/*',
    ]) {
      it(`returns 415: ${type}`, async () => {
        expect(responseOf(await request(service).post('/v1/pets').set('Content-Type', type).send(pet))).to.deep.equal(
          wrongType,
        );
      });
    }

    it('returns 415 if it is missing', async () => {
      const response = await sendRaw(service, head(`Content-Length: ${String(pet.length)}`) + pet);
      assertConforms('POST', '/v1/pets', response);
      expect(responseOf(response)).to.deep.equal(wrongType);
    });

    it('returns 415 for a compressed body', async () => {
      const wrongEncoding = apiError(415, 'unsupported_media_type', 'Send the body without Content-Encoding.', {
        accept: 'application/json',
        'accept-encoding': 'identity',
      });
      for (const encoding of ['gzip', 'br', 'deflate', 'identity, gzip']) {
        const test = request(service).post('/v1/pets').type('json').set('Content-Encoding', encoding);
        expect(responseOf(await test.send(pet))).to.deep.equal(wrongEncoding);
      }
      await request(service).post('/v1/pets').type('json').set('Content-Encoding', 'Identity').send(pet).expect(201);
    });

    it('is checked before the length: 415 comes before 413', async () => {
      await request(service)
        .post('/v1/pets')
        .type('text')
        .send(padded(bytesMax + 1))
        .expect(415);
    });
  });

  it('is ignored by an operation without a body', async () => {
    const lines = ['Host: pets.example', `Authorization: Bearer ${service.token}`, 'Content-Length: 5', '', 'hello'];
    const response = await sendRaw(service, `GET /v1/pets HTTP/1.1\r\n${lines.join('\r\n')}`);
    expect(responseOf(response)).to.deep.equal({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: [],
    });
  });

  it('creates nothing and reports nothing if it is incomplete', async () => {
    const connection = await RawConnection.open(service);
    connection.send(head('Content-Type: application/json', `Content-Length: ${String(pet.length + 1)}`) + pet);
    await request(service).get('/v1/pets').expect(200, []);
    connection.end();
    await request(service).get('/v1/pets').expect(200, []);
    expect(service.reported).to.deep.equal([]);
  });
});
