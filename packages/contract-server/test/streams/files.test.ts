import { once } from 'node:events';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FileBody } from '@contract-server/core/responses/file-body.js';
import { RawConnection } from '@contract-server/test-support/clients/raw-connection.js';
import { contractUrl, startStreams } from '@contract-server/test-support/servers/streams.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { createRequest } from '@contract-server/testing';
import { expect } from 'chai';
import supertest from 'supertest';
import { file } from '#src/index.js';

const modified = 'Fri, 20 Nov 2020 12:00:00 GMT';
const text = '0123456789';

function createFile(content: string | Buffer = text): string {
  const path = join(temporaryDirectory(), 'a 100%.csv');
  writeFileSync(path, content);
  utimesSync(path, new Date(modified), new Date(modified));
  return path;
}

describe('a file', () => {
  it('is sent with its length, ETag and Last-Modified, in the declared media type', async () => {
    const { server } = await startStreams(() => file(createFile()), { validateResponses: true });
    const request = await createRequest({ contract: contractUrl, server });
    const { headers, text: received } = await request.get('/v1/text').expect(200);
    expect(received).to.equal(text);
    const { etag, ...others } = headers as Readonly<Record<string, string>>;
    expect(etag).to.match(/^(?:W\/)?"[\w.-]+"$/);
    expect(others).to.include({
      ...{ 'content-type': 'text/csv', 'content-length': '10', 'last-modified': modified },
      ...{ 'accept-ranges': 'bytes', 'cache-control': 'private, no-cache', 'x-content-type-options': 'nosniff' },
    });
    expect(others['x-request-id']).to.be.a('string');
    const head = await request.head('/v1/text').expect(200);
    expect(head.headers).to.include({ 'content-length': '10', 'accept-ranges': 'bytes' });
  });

  it('is sent whole in a response to another method', async () => {
    const { server } = await startStreams(() => file(createFile()));
    const headers = { Range: 'bytes=0-1', 'If-None-Match': '*' };
    const response = await supertest(server).post('/v1/reports').set(headers).expect(201);
    expect(response.text).to.equal(text);
    expect(response.headers).not.to.have.property('accept-ranges');
  });

  it('is below its root, where a missing file is a 404 without its path', async () => {
    const folder = temporaryDirectory();
    mkdirSync(join(folder, 'files', 'folder'), { recursive: true });
    writeFileSync(join(folder, 'secret'), 'secret');
    writeFileSync(join(folder, 'files', '.hidden'), 'hidden');
    writeFileSync(join(folder, 'files', 'a'), 'a');
    const root = join(folder, 'files');
    let body = file('a', { root });
    const { server, reported } = await startStreams(() => body);
    await supertest(server).get('/v1/text').expect(200);
    for (const path of ['b', '../secret', '..%2fsecret', 'folder', 'folder/', '.hidden', 'a\0']) {
      body = file(path, { root });
      const response = await supertest(server).get('/v1/text').expect(404);
      expect(response.body).to.deep.equal({ code: 'not_found', message: 'There is no such file.', status: 404 });
    }
    body = file('.hidden', { root, dotfiles: true });
    expect((await supertest(server).get('/v1/text').expect(200)).text).to.equal('hidden');
    expect(reported).to.deep.equal([]);
  });

  it('must have an absolute path, or a root', () => {
    expect(() => file('a.csv')).to.throw(TypeError, 'absolute');
  });

  it('is not sent as JSON, which is filtered', async () => {
    const { server, reported } = await startStreams(() => file(createFile()));
    await supertest(server).get('/v1/json').expect(500);
    expect(String(reported[0])).to.contain('JSON cannot be streamed');
  });

  it('is closed when the client disconnects', async () => {
    const { server, log, reported } = await startStreams(() => file(createFile(Buffer.alloc(50_000_000))));
    const connection = await RawConnection.open({ server }, 'GET /v1/text HTTP/1.1\r\nHost: a\r\n\r\n');
    const [, response] = (await once(server, 'request')) as [unknown, { destroyed: boolean }];
    connection.reset();
    const [line] = await log.first(1, ({ msg }) => msg === 'request');
    expect(line).to.include({ aborted: true });
    expect(response.destroyed).to.equal(true);
    expect(reported).to.deep.equal([]);
    expect(file('/a')).to.be.instanceOf(FileBody);
  });
});
