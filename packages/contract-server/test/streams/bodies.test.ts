import { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { ApiError } from '@contract-server/core/lib/errors.js';
import { startStreams } from '@contract-server/test-support/servers/streams.js';
import { expect } from 'chai';

async function* itemsOf(...items: readonly unknown[]) {
  for (const item of items) yield await Promise.resolve(item);
}

async function receive(body: unknown, path: string) {
  const { baseUrl } = await startStreams(() => body);
  const response = await fetch(baseUrl + path);
  return { type: response.headers.get('content-type'), text: await response.text(), headers: response.headers };
}

describe('a streamed body', () => {
  const sources: readonly (readonly [name: string, source: () => unknown])[] = [
    ['a Node stream', () => Readable.from([Buffer.from('a,b\n'), Buffer.from('1,ü\n')], { objectMode: false })],
    ['a Node stream of text', () => Readable.from(['a,b\n', '1,ü\n'])],
    ['an async iterable of text and bytes', () => itemsOf('a,b\n', Buffer.from('1,ü\n'))],
    ['a web stream', () => ReadableStream.from(['a,b\n', new TextEncoder().encode('1,ü\n')])],
  ];
  for (const [name, source] of sources)
    it(`is sent without a length, with the headers of every response, from ${name}`, async () => {
      const { type, text, headers } = await receive(source(), '/text');
      // Bytes may be in any charset.
      const isOfBytes = name === 'a Node stream';
      expect({ type, text }).to.deep.equal({
        ...{ type: isOfBytes ? 'text/csv' : 'text/csv; charset=utf-8', text: 'a,b\n1,ü\n' },
      });
      expect(headers.get('content-length')).to.equal(null);
      expect(headers.get('cache-control')).to.equal('no-store');
      expect(headers.get('x-accel-buffering')).to.equal(null);
      expect(headers.get('x-request-id')).to.be.a('string');
    });

  it('can be empty', async () => {
    expect(await receive(itemsOf(), '/text')).to.include({ text: '' });
    expect(await receive(Readable.from([]), '/text')).to.include({ text: '' });
  });

  it('has JSON lines of its items, without undeclared fields, or their JSON text, or bytes', async () => {
    const items = [{ id: 9223372036854775807n, title: 'Emma', shelf: 'B2', spare: true }, '{"id":2}'];
    const expected = '{"id":9223372036854775807,"title":"Emma"}\n{"id":2}\n{"id":3,"spare":1}\n';
    const { type, text } = await receive(itemsOf(...items, Buffer.from('{"id":3,"spare":1}\n')), '/books');
    expect({ type, text }).to.deep.equal({ type: 'application/x-ndjson; charset=utf-8', text: expected });
    expect(await receive(Readable.from([{ id: 1, spare: true }]), '/books')).to.include({ text: '{"id":1}\n' });
    const bytes = Readable.from([Buffer.from('{"id":1}\n')], { objectMode: false });
    expect(await receive(bytes, '/books')).to.include({ text: '{"id":1}\n' });
  });

  it('has events with data in JSON without undeclared fields, and their other fields', async () => {
    const events = [
      { data: { id: 9223372036854775807n, spare: true } },
      { comment: 'two\nlines', event: 'added', id: 'ü', retry: 500, data: { id: 1 } },
      { comment: '' },
      { data: '{"id":2}' },
    ];
    const { type, text, headers } = await receive(itemsOf(...events), '/events');
    expect(type).to.equal('text/event-stream; charset=utf-8');
    expect(headers.get('cache-control')).to.equal('no-store, no-transform');
    expect(text.split('\n\n')).to.deep.equal([
      'data: {"id":9223372036854775807}',
      ': two\n: lines\nevent: added\nid: ü\nretry: 500\ndata: {"id":1}',
      ': ',
      'data: {"id":2}',
      '',
    ]);
  });

  const empty = { event: null, id: null, retry: null, comment: null };
  const events: readonly (readonly [event: object, text: string])[] = [
    [{ data: { id: 1 }, ...empty }, 'data: {"id":1}\n\n'],
    [{ data: { id: 1 }, ...empty, event: 'added' }, 'event: added\ndata: {"id":1}\n\n'],
    [{ data: { id: 1 }, ...empty, id: '1' }, 'id: 1\ndata: {"id":1}\n\n'],
    [{ data: { id: 1 }, ...empty, retry: 0 }, 'retry: 0\ndata: {"id":1}\n\n'],
    [{ ...empty, comment: 'a' }, ': a\n\n'],
    // The JSON value.
    [{ data: null, ...empty }, 'data: null\n\n'],
    // They reset the type and the last id.
    [{ data: { id: 1 }, event: '', id: '' }, 'event: \nid: \ndata: {"id":1}\n\n'],
  ];
  for (const [event, expected] of events)
    it(`has an event without the fields that are null: ${JSON.stringify(event)}`, async () => {
      expect(await receive(itemsOf(event), '/events')).to.include({ text: expected });
    });

  for (const [path, item] of [
    ['/events', { data: { id: 1 } }],
    ['/books', { id: 1 }],
  ] as const)
    it(`is not buffered by nginx if its items are to arrive one by one, unless the handler says so: ${path}`, async () => {
      const headersOf = async (headers: Readonly<Record<string, string>>, method = 'GET') => {
        const { baseUrl } = await startStreams(() => itemsOf(item), { headers });
        const { headers: received } = await fetch(baseUrl + path, { method });
        return ['x-accel-buffering', 'cache-control'].map((name) => received.get(name));
      };
      const cacheControl = path === '/events' ? 'no-store, no-transform' : 'no-store';
      expect(await headersOf({})).to.deep.equal(['no', cacheControl]);
      expect(await headersOf({}, 'HEAD')).to.deep.equal(['no', cacheControl]);
      const own = { 'x-accel-buffering': 'yes', 'cache-control': 'no-cache' };
      expect(await headersOf(own)).to.deep.equal(['yes', 'no-cache']);
    });

  it('has events of text where the schema is a string: a field for each line', async () => {
    const { text } = await receive(itemsOf({ data: 'a\nb\r\nc' }, { data: '' }), '/notices');
    expect(text).to.equal('data: a\ndata: b\ndata: c\n\ndata: \n\n');
  });
});

describe('an error of a stream before its first byte', () => {
  const cases: readonly (readonly [name: string, path: string, body: () => unknown, status: number])[] = [
    ['an ApiError', '/text', () => failing(new ApiError('invalid_cursor', 'Unknown.')), 400],
    ['an error of a Node stream', '/text', () => Readable.from(failing(new Error('unreadable'))), 500],
    ['a stream that is destroyed', '/text', () => Readable.from(['a']).destroy(), 500],
    ['a chunk that is neither text nor bytes', '/text', () => itemsOf({ id: 1 }), 500],
    ['an event without data', '/events', () => itemsOf({ id: '1' }), 500],
    ['an event without data, whose comment is null', '/events', () => itemsOf({ comment: null }), 500],
    ['an event whose comment is no text', '/events', () => itemsOf({ data: { id: 1 }, comment: 1 }), 500],
    ['an event whose id has a line break', '/events', () => itemsOf({ data: { id: 1 }, id: '1\n' }), 500],
    ['an event whose retry is no integer', '/events', () => itemsOf({ data: { id: 1 }, retry: 0.5 }), 500],
    ['JSON text of a line with a line break', '/books', () => itemsOf('{\n}'), 500],
    ['a stream of JSON', '/json', () => itemsOf('{}'), 500],
  ];
  for (const [name, path, body, status] of cases)
    it(`is an ordinary error response, as for ${name}`, async () => {
      const { baseUrl, reported } = await startStreams(body);
      const response = await fetch(baseUrl + path);
      expect(response.status).to.equal(status);
      expect(response.headers.get('content-type')).to.equal('application/json');
      expect(await response.json()).to.include({ status });
      expect(reported).to.have.lengthOf(status === 500 ? 1 : 0);
    });
});

async function* failing(error: Error): AsyncGenerator<string> {
  await Promise.reject(error);
  yield '';
}
