import { Readable } from 'node:stream';
import { closeLater } from '@contract-server/test-support/closing.js';
import { describeUnless, reasonToSkipWithout } from '@contract-server/test-support/requirements.js';
import { startNginx } from '@contract-server/test-support/servers/nginx.js';
import { startStreams } from '@contract-server/test-support/servers/streams.js';
import { expect } from 'chai';

describeUnless(reasonToSkipWithout('nginx'), 'a stream behind nginx', () => {
  /** Requests a path through nginx. `push` sends an item of the stream, and `read` resolves with what arrives next. */
  async function open(path: string, directives = '') {
    const source = new Readable({ objectMode: true, read: () => undefined });
    const { server, baseUrl, reported } = await startStreams(() => source);
    const address = await startNginx(`proxy_pass ${new URL(baseUrl).origin}; ${directives}`);
    const aborter = new AbortController();
    closeLater(() => aborter.abort());
    const request = fetch(`${address}/v1${path}`, { signal: aborter.signal });
    const push = (item: unknown) => source.push(item);
    const reader = request.then(({ body }) => body?.pipeThrough(new TextDecoderStream()).getReader());
    const read = async () => (await reader)?.read();
    return { request, push, read, source, server, reported };
  }

  const items = [
    ['/events', { data: { id: 1 } }, 'data: {"id":1}\n\n', { data: { id: 2 } }, 'data: {"id":2}\n\n'],
    ['/books', { id: 1 }, '{"id":1}\n', { id: 2 }, '{"id":2}\n'],
  ] as const;
  for (const [path, one, first, two, second] of items)
    for (const directives of ['', 'proxy_http_version 1.1;', 'gzip on; gzip_types *; gzip_min_length 0;'])
      it(`arrives item by item: ${path} with proxy_pass${directives && ` and ${directives}`}`, async () => {
        const { push, read, request } = await open(path, directives);
        push(one);
        expect(await read()).to.deep.equal({ done: false, value: first });
        push(two);
        expect(await read()).to.deep.equal({ done: false, value: second });
        push(null);
        expect(await read()).to.include({ done: true });
        expect((await request).headers.get('x-accel-buffering')).to.equal(null);
      });

  it('has its head before the first event', async () => {
    const { request } = await open('/events');
    expect((await request).headers.get('content-type')).to.equal('text/event-stream; charset=utf-8');
  });

  it('stays open without events, also with the proxy_read_timeout of the load balancer', async () => {
    const { push, read } = await open('/events', 'proxy_read_timeout 5200ms;');
    expect(await read()).to.deep.equal({ done: false, value: ':\n' });
    push({ data: { id: 1 } });
    expect(await read()).to.deep.equal({ done: false, value: 'data: {"id":1}\n\n' });
  });

  for (const version of ['1.0', '1.1'])
    it(`shows its client that it failed, in HTTP/${version}`, async () => {
      const { push, read, source, reported } = await open('/books', `proxy_http_version ${version};`);
      push({ id: 1 });
      await read();
      source.destroy(new Error('lost'));
      const failure = await read().catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(TypeError);
      expect(String(reported[0])).to.equal('Error: lost');
    });
});
