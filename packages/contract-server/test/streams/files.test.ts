import { once } from 'node:events';
import { mkdirSync, readdirSync, readlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { expect } from 'chai';
import supertest from 'supertest';
import { file } from '#src/index.js';
import { FileBody } from '#src/responses/file-body.js';
import { createRequest } from '#src/testing/index.js';
import { RawConnection } from '../support/clients/raw-connection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { contractUrl, startStreams } from './streams.js';

const modified = 'Fri, 20 Nov 2026 12:00:00 GMT';
const text = '0123456789';

function createFile(content: string | Buffer = text): string {
  const path = join(temporaryDirectory(), 'a 100%.csv');
  writeFileSync(path, content);
  utimesSync(path, new Date(modified), new Date(modified));
  return path;
}

async function startFile(body: unknown = file(createFile())) {
  const service = await startStreams(() => body, { validateResponses: true });
  const request = await createRequest({ contract: contractUrl, server: service.server });
  const { headers } = await request.get('/v1/text').expect(200);
  const get = (sent: Readonly<Record<string, string>>) => request.get('/v1/text').set(sent);
  return { ...service, request, get, etag: String((headers as Readonly<Record<string, string>>)['etag']) };
}

describe('a file', () => {
  it('is sent with its length, ETag and Last-Modified, in the declared media type', async () => {
    const { request } = await startFile();
    const { headers, text: received } = await request.get('/v1/text').expect(200);
    expect(received).to.equal(text);
    const { etag, ...others } = headers as Readonly<Record<string, string>>;
    expect(etag).to.match(/^W\/"/);
    expect(others).to.include({
      ...{ 'content-type': 'text/csv', 'content-length': '10', 'last-modified': modified },
      ...{ 'accept-ranges': 'bytes', 'cache-control': 'private, no-cache', 'x-content-type-options': 'nosniff' },
    });
    expect(others['x-request-id']).to.be.a('string');
    const head = await request.head('/v1/text').expect(200);
    expect(head.headers).to.include({ 'content-length': '10', etag });
  });

  const ranges = [
    ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
    ['bytes=7-', 206, '789', 'bytes 7-9/10'],
    ['bytes=-2', 206, '89', 'bytes 8-9/10'],
    ['bytes=8-99', 206, '89', 'bytes 8-9/10'],
    // Several ranges, and another unit, may be ignored (RFC 9110, section 14.2).
    ['bytes=0-0,5-5', 200, text, undefined],
    ['lines=1-2', 200, text, undefined],
  ] as const;
  for (const [range, status, received, contentRange] of ranges)
    it(`has the status ${String(status)} for Range: ${range}`, async () => {
      const { get } = await startFile();
      const response = await get({ Range: range }).expect(status);
      expect(response.text).to.equal(received);
      expect((response.headers as Readonly<Record<string, string>>)['content-range']).to.equal(contentRange);
    });

  it('has the status 416 for a range beyond its end, as an error of the API', async () => {
    const { get, reported } = await startFile();
    const response = await get({ Range: 'bytes=10-' }).expect(416);
    expect(response.body).to.deep.equal({
      ...{ code: 'range_not_satisfiable', message: 'The range is beyond the end of the file.', status: 416 },
    });
    const { headers } = response as { readonly headers: Readonly<Record<string, string>> };
    expect(headers).to.include({ 'content-range': 'bytes */10', 'cache-control': 'no-store' });
    expect(headers).not.to.have.any.keys('etag', 'last-modified', 'accept-ranges');
    expect(reported).to.deep.equal([]);
  });

  const conditions: readonly (readonly [name: string, headers: (etag: string) => Record<string, string>, number])[] = [
    ['If-None-Match with its ETag', (etag) => ({ 'If-None-Match': etag }), 304],
    ['If-None-Match with others', () => ({ 'If-None-Match': '"a", "b"' }), 200],
    ['If-None-Match: *', () => ({ 'If-None-Match': '*' }), 304],
    ['If-Modified-Since with its time', () => ({ 'If-Modified-Since': modified }), 304],
    ['If-Modified-Since with an earlier time', () => ({ 'If-Modified-Since': 'Fri, 20 Nov 2026 11:59:59 GMT' }), 200],
    ['If-Match with another ETag', () => ({ 'If-Match': '"a"' }), 412],
    [
      'If-Unmodified-Since with an earlier time',
      () => ({ 'If-Unmodified-Since': 'Fri, 20 Nov 2026 11:59:59 GMT' }),
      412,
    ],
    ['If-Range with its time', () => ({ Range: 'bytes=0-1', 'If-Range': modified }), 206],
    ['If-Range with another ETag', () => ({ Range: 'bytes=0-1', 'If-Range': '"a"' }), 200],
  ];
  for (const [name, headersOf, status] of conditions)
    it(`has the status ${String(status)} for ${name}`, async () => {
      const { get, etag } = await startFile();
      const response = await get(headersOf(etag)).expect(status);
      if (status === 304) expect(response.text).to.equal('');
      if (status === 412) expect(response.body).to.include({ code: 'precondition_failed' });
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

  it('is closed when the client disconnects, also behind the response to another request', async () => {
    const path = createFile(Buffer.alloc(10_000_000));
    const { server } = await startStreams(() => file(path));
    const openFiles = () =>
      readdirSync('/proc/self/fd').filter((name) => {
        try {
          return readlinkSync(`/proc/self/fd/${name}`) === path;
        } catch {
          return false;
        }
      });
    const connection = await RawConnection.open({ server }, 'GET /v1/text HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(5));
    while (openFiles().length < 5) await nextIteration();
    connection.reset();
    while (openFiles().length > 0) await nextIteration();
  });
});
