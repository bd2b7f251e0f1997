import { Readable } from 'node:stream';
import { contractUrl, startStreams } from '@contract-server/test-support/servers/streams.js';
import { createRequest } from '@contract-server/testing';
import { expect } from 'chai';

describe('the validation of streams', () => {
  const cases: readonly (readonly [path: string, valid: unknown, invalid: unknown, reason: string])[] = [
    ['/books', { id: 1 }, { id: 'one' }, '/1/id'],
    ['/books', { id: 1 }, '{', 'an item is not valid JSON'],
    ['/events', { data: { id: 1 } }, { data: {} }, '/1/id'],
    ['/events', { comment: '' }, { data: '[' }, 'an item is not valid JSON'],
  ];
  for (const [path, valid, invalid, reason] of cases)
    it(`ends the connection at ${JSON.stringify(invalid)} in ${path}`, async () => {
      const parts = { validateResponses: true };
      const { baseUrl, reported } = await startStreams(() => Readable.from([valid, invalid]), parts);
      const response = await fetch(baseUrl + path);
      expect(response.status).to.equal(200);
      const error = await response.text().catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(TypeError);
      expect(String(reported[0])).to.contain('does not conform to the contract').and.to.contain(reason);
    });

  it('accepts valid items, comments and bytes', async () => {
    const parts = { validateResponses: true };
    for (const [path, items] of [
      ['/books', [{ id: 9223372036854775807n }, Buffer.from('[')]],
      ['/events', [{ comment: '' }, { data: { id: 1 }, event: 'a' }]],
      ['/notices', [{ data: '{' }]],
      ['/text', ['{', '}']],
    ] as const) {
      const { baseUrl, reported } = await startStreams(() => Readable.from(items), parts);
      expect(await (await fetch(baseUrl + path)).text()).to.be.a('string');
      expect(reported).to.deep.equal([]);
    }
  });

  it('is that of the items of a response in tests', async () => {
    let items: readonly unknown[] = [];
    const { server } = await startStreams(() => Readable.from(items));
    const request = await createRequest({ contract: contractUrl, server });
    const send = (path: string, ...sent: readonly unknown[]) => {
      items = sent;
      return request.get(`/v1${path}`).then(
        () => '',
        (error: unknown) => String(error),
      );
    };
    expect(await send('/books', { id: 1, title: 'ü' }, { id: 2 })).to.equal('');
    expect(await send('/books', { id: 1 }, { id: 'two' })).to.contain('1/id');
    expect(await send('/events', { data: { id: 1 } }, { comment: 'a' }, { data: '{"id":2}' })).to.equal('');
    expect(await send('/events', { data: { id: 1 } }, { data: { title: '' } })).to.contain('/1');
    expect(await send('/events', { data: 'text' })).to.contain('not JSON');
    expect(await send('/notices', { data: 'text' })).to.equal('');
  });
});
