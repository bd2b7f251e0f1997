import { statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startStreams } from '@contract-server/test-support/servers/streams.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expect } from 'chai';
import supertest from 'supertest';
import { etagOf } from '#src/http/wire/file-conditions.js';
import { file } from '#src/index.js';

type Headers = Readonly<Record<string, string>>;

/** A file that was written long ago. */
const oldFile = fileURLToPath(import.meta.resolve('send'));

function createFile(size: number): string {
  const path = join(temporaryDirectory(), 'file');
  writeFileSync(path, '0123456789'.slice(0, size));
  return path;
}

async function startFile(path: string, headers: Headers = {}) {
  const { server } = await startStreams(() => file(path), { headers });
  const send = (method: 'get' | 'head', sent: Headers) => supertest(server)[method]('/v1/text').set(sent);
  const received = (await send('head', {}).expect(200)).headers as Headers;
  return { send, etag: received['etag'] ?? '', modified: received['last-modified'] ?? '' };
}

describe('a range of a file', () => {
  const cases: readonly (readonly [size: number, range: string, status: number, contentRange?: string])[] = [
    [10, 'bytes=2-4', 206, 'bytes 2-4/10'],
    [10, 'bytes=7-', 206, 'bytes 7-9/10'],
    [10, 'bytes=-2', 206, 'bytes 8-9/10'],
    [10, 'Bytes=2-4', 206, 'bytes 2-4/10'],
    // A range ends with the file (RFC 9110, section 14.1.2).
    [10, 'bytes=8-99999', 206, 'bytes 8-9/10'],
    [10, 'bytes=0-99999999999999999999', 206, 'bytes 0-9/10'],
    [10, 'bytes=-10', 206, 'bytes 0-9/10'],
    [10, 'bytes=-99999', 206, 'bytes 0-9/10'],
    [10, 'bytes=10-', 416, 'bytes */10'],
    [10, 'bytes=10-20', 416, 'bytes */10'],
    [10, 'bytes=-0', 416, 'bytes */10'],
    // The last bytes of an empty file are all of it, for which a 206 has no form.
    [0, 'bytes=-5', 200],
    [0, 'bytes=0-', 416, 'bytes */0'],
    [0, 'bytes=-0', 416, 'bytes */0'],
    // Several ranges, other units and invalid ranges are ignored (RFC 9110, section 14.2).
    [10, 'bytes=0-0,5-5', 200],
    [10, 'bytes=0-4,5-9', 200],
    [10, 'bytes=0-0,99-', 200],
    [10, 'lines=1-2', 200],
    [10, 'bytes=5-2', 200],
    [10, 'bytes=', 200],
    [10, 'bytes=-', 200],
    [10, 'bytes=a-b', 200],
    [10, 'bytes=1-2-3', 200],
    [10, 'bytes=0x1-2', 200],
    [10, 'bytes 1-2', 200],
  ];
  for (const [size, range, status, contentRange] of cases)
    it(`has the status ${String(status)} for Range: ${range} of ${String(size)} bytes, and 200 for HEAD`, async () => {
      const { send } = await startFile(createFile(size));
      const response = await send('get', { Range: range }).expect(status);
      expect((response.headers as Headers)['content-range']).to.equal(contentRange);
      const [first, last] =
        /(\d+)-(\d+)/
          .exec(contentRange ?? `0-${String(size)}`)
          ?.slice(1)
          .map(Number) ?? [];
      if (status !== 416) expect(response.text).to.equal('0123456789'.slice(0, size).slice(first, Number(last) + 1));
      const { headers } = await send('head', { Range: range }).expect(200);
      expect(headers).to.include({ 'content-length': String(size), 'accept-ranges': 'bytes' });
      expect(headers).not.to.have.property('content-range');
    });

  it('that is not satisfiable is an error of the API, without the headers of the file', async () => {
    const { send } = await startFile(createFile(10));
    const response = await send('get', { Range: 'bytes=10-' }).expect(416);
    expect(response.body).to.deep.equal({
      ...{ code: 'range_not_satisfiable', message: 'The range is beyond the end of the file.', status: 416 },
    });
    expect(response.headers).to.include({ 'content-range': 'bytes */10', 'cache-control': 'no-store' });
    expect(response.headers).not.to.have.any.keys('etag', 'last-modified', 'accept-ranges');
  });
});

describe('a conditional request for a file', () => {
  const range = { Range: 'bytes=0-1' };
  const early = 'Fri, 20 Nov 2020 12:00:00 GMT';
  type Case = readonly [name: string, headersOf: (etag: string, modified: string) => Headers, status: number];
  const cases: readonly Case[] = [
    ['If-Match with its ETag', (etag) => ({ 'If-Match': etag }), 200],
    ['If-Match with its ETag among others', (etag) => ({ 'If-Match': `"a,b", ${etag}` }), 200],
    ['If-Match: *', () => ({ 'If-Match': '*' }), 200],
    ['If-Match with its ETag as a weak one', (etag) => ({ 'If-Match': `W/${etag}` }), 412],
    ['If-Match with another ETag', () => ({ 'If-Match': '"a"' }), 412],
    ['If-Unmodified-Since with its time', (_, modified) => ({ 'If-Unmodified-Since': modified }), 200],
    ['If-Unmodified-Since with an earlier time', () => ({ 'If-Unmodified-Since': early }), 412],
    ['If-Unmodified-Since that is no date', () => ({ 'If-Unmodified-Since': 'today' }), 200],
    ['If-None-Match with its ETag', (etag) => ({ 'If-None-Match': etag }), 304],
    ['If-None-Match with its ETag as a weak one', (etag) => ({ 'If-None-Match': `"a", W/${etag}` }), 304],
    ['If-None-Match: *', () => ({ 'If-None-Match': '*' }), 304],
    ['If-None-Match with others', () => ({ 'If-None-Match': '"a", "b"' }), 200],
    ['If-None-Match, also without caches', (etag) => ({ 'If-None-Match': etag, 'Cache-Control': 'no-cache' }), 304],
    ['If-Modified-Since with its time', (_, modified) => ({ 'If-Modified-Since': modified }), 304],
    ['If-Modified-Since with an earlier time', () => ({ 'If-Modified-Since': early }), 200],
    ['If-Modified-Since that is no date', () => ({ 'If-Modified-Since': 'today' }), 200],
    // Precedence (RFC 9110, section 13.2.2).
    ['If-Match over If-Unmodified-Since', (etag) => ({ 'If-Match': etag, 'If-Unmodified-Since': early }), 200],
    ['If-Match over If-None-Match', (etag) => ({ 'If-Match': '"a"', 'If-None-Match': etag }), 412],
    [
      'If-None-Match over If-Modified-Since',
      (_, modified) => ({ 'If-None-Match': '"a"', 'If-Modified-Since': modified }),
      200,
    ],
    ['If-None-Match over Range', (etag) => ({ 'If-None-Match': etag, ...range }), 304],
    ['If-Match over Range', () => ({ 'If-Match': '"a"', Range: 'bytes=9999999-' }), 412],
    ['If-Range with its ETag', (etag) => ({ 'If-Range': etag, ...range }), 206],
    ['If-Range with its ETag as a weak one', (etag) => ({ 'If-Range': `W/${etag}`, ...range }), 200],
    ['If-Range with another ETag', () => ({ 'If-Range': '"a"', ...range }), 200],
    ['If-Range with its time, which covers a second', (_, modified) => ({ 'If-Range': modified, ...range }), 200],
    ['If-Range with its ETag and a range beyond', (etag) => ({ 'If-Range': etag, Range: 'bytes=9999999-' }), 416],
    ['If-Range with another ETag and a range beyond', () => ({ 'If-Range': '"a"', Range: 'bytes=9999999-' }), 200],
    ['If-Range without Range', () => ({ 'If-Range': '"a"' }), 200],
  ];
  for (const [name, headersOf, status] of cases)
    it(`has the status ${String(status)} for ${name}`, async () => {
      const { send, etag, modified } = await startFile(oldFile);
      const response = await send('get', headersOf(etag, modified)).expect(status);
      if (status === 304) expect(response.text).to.equal('');
      if (status === 304) expect(response.headers).to.include({ etag, 'cache-control': 'private, no-cache' });
      if (status === 412) expect(response.body).to.include({ code: 'precondition_failed' });
      if (status === 206) expect(response.text).to.have.lengthOf(2);
    });

  it('compares the ETag of the handler', async () => {
    const { send } = await startFile(createFile(10), { etag: '"v1"' });
    await send('get', { 'If-Range': '"v1"', ...range }).expect(206);
    await send('get', { 'If-Match': '"v1"' }).expect(200);
    await send('get', { 'If-Match': '""' }).expect(412);
    await send('get', { 'If-None-Match': '"v1"' }).expect(304);
  });

  it('finds that a weak ETag of the file equals none, except for If-None-Match', async () => {
    const { send } = await startFile(createFile(10), { etag: 'W/"v1"' });
    for (const sent of ['"v1"', 'W/"v1"']) {
      await send('get', { 'If-None-Match': sent }).expect(304);
      await send('get', { 'If-Match': sent }).expect(412);
      await send('get', { 'If-Range': sent, ...range }).expect(200);
    }
    await send('get', { 'If-Match': '*' }).expect(200);
  });

  it('finds a weak ETag for a second after a change, in which the file can change again', () => {
    const stats = { size: 10, ctimeMs: 5000 };
    expect(etagOf(stats, 6001)).to.match(/^"[\w.-]+"$/);
    for (const now of [6000, 5000, 4000]) expect(etagOf(stats, now)).to.equal(`W/${etagOf(stats, 6001)}`);
  });

  it('finds another ETag after a change that leaves the size and the time of modification', async () => {
    const path = createFile(10);
    const { mtime, ctimeMs } = statSync(path);
    const { send, etag } = await startFile(path);
    // The clock of a file system has ticks of some milliseconds.
    while (statSync(path).ctimeMs === ctimeMs) writeFileSync(path, 'abcdefghij');
    utimesSync(path, mtime, mtime);
    const { headers, text } = await send('get', { 'If-None-Match': etag }).expect(200);
    expect(text).to.equal('abcdefghij');
    expect(headers).to.have.property('etag').not.equal(etag);
  });

  it('finds no Last-Modified in the future (RFC 9110, section 8.8.2.1)', async () => {
    const path = createFile(10);
    const future = new Date(Date.now() + 3_600_000);
    utimesSync(path, future, future);
    const { modified } = await startFile(path);
    expect(Date.parse(modified)).to.be.at.most(Date.now());
  });
});
