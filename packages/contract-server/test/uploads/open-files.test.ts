import { once } from 'node:events';
import type { Server } from 'node:http';
import { RawConnection } from '@contract-server/test-support/clients/raw-connection.js';
import { serveContract } from '@contract-server/test-support/servers/served-contract.js';
import { expect } from 'chai';
import type { RequestHandler } from 'express';
import { openFilesMax, openFilesOfClientMax } from '#src/http/bodies/temporary-files.js';

const contract = `
openapi: 3.0.4
info: { title: Albums, version: 1.0.0 }
paths:
  /albums:
    get: { operationId: listAlbums, responses: { "204": { description: None } } }
    post:
      operationId: createAlbum
      requestBody:
        content:
          multipart/form-data:
            schema: { type: object, properties: { photos: { type: array, items: { type: string, format: binary } } } }
      responses: { "204": { description: Done } }
`;
const filesPerRequest = 100;

describe('temporary files of a process', () => {
  it('have a limit: above it, uploads are a 503 with one line in the log, and other requests are served', async () => {
    const waiting: (() => void)[] = [];
    const started = new EventTarget();
    const createAlbum = async () => {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length === openFilesMax / filesPerRequest) started.dispatchEvent(new Event('all'));
      });
      return { status: 204 };
    };
    const { server, log } = await serveContract(contract, {
      handlers: { createAlbum, listAlbums: () => ({ status: 204 }) },
      middleware: [useSentAddress],
    });
    const upload = uploadTo(server);
    const all = once(started, 'all');
    for (let at = 0; at < openFilesMax / filesPerRequest; at += 1)
      await upload(filesPerRequest, `192.0.2.${String(Math.floor(at / 2))}`);
    await all;

    for (const files of [1, 3, filesPerRequest]) {
      const { status, headers, text } = await (await upload(files)).readResponse();
      expect([status, headers['retry-after']]).to.deep.equal([503, '1']);
      expect(JSON.parse(text)).to.deep.equal({
        code: 'store_unavailable',
        message: 'Too many files are being uploaded. Retry after the time in Retry-After.',
        status: 503,
      });
    }
    expect(log.lines).to.have.length(1);
    expect(JSON.stringify(log.lines)).to.include('1000 uploaded files are open in this process');
    const other = await RawConnection.open({ server }, 'GET /albums HTTP/1.1\r\nHost: x\r\n\r\n');
    expect((await other.readResponse()).status).to.equal(204);

    for (const finish of waiting.splice(0)) finish();
    for (let status = 503; status === 503; ) {
      const again = await upload(1);
      const response = again.readResponse();
      while (waiting.length === 0 && (await isPending(response))) await new Promise(setImmediate);
      for (const finish of waiting.splice(0)) finish();
      ({ status } = await response);
    }
  });

  it('have a limit for one client address, while others can upload', async () => {
    const waiting: (() => void)[] = [];
    const createAlbum = async () => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return { status: 204 };
    };
    const { server, log } = await serveContract(contract, {
      handlers: { createAlbum, listAlbums: () => ({ status: 204 }) },
      middleware: [useSentAddress],
    });
    const upload = uploadTo(server);
    const uploads = [];
    for (let at = 0; at < 5; at += 1) uploads.push(await upload(openFilesOfClientMax / 5, '192.0.2.1'));
    while (waiting.length < 5) await new Promise(setImmediate);

    const { status, headers, text } = await (await upload(1, '192.0.2.1')).readResponse();
    expect([status, headers['retry-after']]).to.deep.equal([503, '1']);
    expect(text).to.include('Your client address has 250 uploads in progress.');
    expect(log.lines).to.deep.equal([]);
    const other = await upload(1, '192.0.2.2');
    while (waiting.length < 6) await new Promise(setImmediate);
    for (const finish of waiting.splice(0)) finish();
    for (const each of [...uploads, other]) expect((await each.readResponse()).status).to.equal(204);
  });
});

/** In place of a trusted proxy. */
const useSentAddress: RequestHandler = (request, _response, next) => {
  Object.defineProperty(request, 'ip', { value: request.get('X-Client') });
  next();
};

/** Sends a number of files from a client address. */
function uploadTo(server: Server) {
  return (files: number, client = '192.0.2.255') => {
    const part = '--x\r\nContent-Disposition: form-data; name="photos"; filename="a"\r\n\r\nbytes\r\n';
    const body = `${part.repeat(files)}--x--\r\n`;
    const type = 'Content-Type: multipart/form-data; boundary=x';
    const head = `POST /albums HTTP/1.1\r\nHost: x\r\nX-Client: ${client}\r\n${type}`;
    return RawConnection.open({ server }, `${head}\r\nContent-Length: ${String(body.length)}\r\n\r\n${body}`);
  };
}

async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending');
  return (await Promise.race([promise, Promise.resolve(pending)])) === pending;
}
