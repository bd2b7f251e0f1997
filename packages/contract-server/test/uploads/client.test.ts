import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient, type OperationRequest } from '@contract-server/client/index.js';
import { errorOf } from '@contract-server/test-support/error-of.js';
import { expect } from 'chai';
import express from 'express';
import { type Contract, contract } from './generated/contract.js';
import { uploadsRouter } from './uploads.js';

type Paths = Contract['paths'];

describe('the client', () => {
  let server: Server;
  let call: OperationRequest<Paths>;
  before(async () => {
    server = express()
      .use(await uploadsRouter())
      .listen(0, '127.0.0.1');
    await once(server, 'listening');
    const baseUrl = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1`;
    call = createClient<Contract>({ baseUrl, contract }).request;
  });
  after(() => {
    server.close();
  });

  const form = { 'Content-Type': 'application/x-www-form-urlencoded' } as const;
  const multipart = { 'Content-Type': 'multipart/form-data' } as const;

  it('sends a form, with objects as JSON', async () => {
    const address = { city: 'Rome', zip: 187 };
    const body = { sku: 'a b&c', count: 9223372036854775807n, tags: ['x', 'y,z'], address };
    const received = { sku: body.sku, total: body.count, tags: body.tags, address };
    expect((await call('post', '/orders', { headers: form, body })).data).to.deep.include(received);
    const fields = new URLSearchParams({ sku: 'ab' });
    expect((await call('post', '/orders', { headers: form, body: fields })).data).to.include({ sku: 'ab' });
    // @ts-expect-error -- A form has no other fields of this type.
    await call('post', '/orders', { headers: form, body: { sku: 1 } }).catch(() => undefined);
  });

  it('sends an array as JSON lines, or their text', async () => {
    const headers = { 'Content-Type': 'application/x-ndjson' } as const;
    const readings = [{ id: 9223372036854775807n, value: 1 }, { value: 2 }];
    expect((await call('post', '/readings', { headers, body: readings })).data).to.deep.equal(readings);
    const { data } = await call('post', '/readings', { headers, body: '{"value":1}\n\n{"value":2}' });
    expect(data.map(({ value }) => value)).to.deep.equal([1, 2]);
    // @ts-expect-error -- A reading has a value.
    await call('post', '/readings', { headers, body: [{}] }).catch(() => undefined);
    // An empty array has no lines, and neither has the response.
    expect((await call('post', '/readings', { headers, body: [] })).data).to.deep.equal([]);
    // @ts-expect-error -- A reading is an object. What JSON does not have is sent as null.
    const error = await errorOf(call('post', '/readings', { headers, body: [undefined] }));
    expect(String(error)).to.contain('`0` must be a JSON object.');
  });

  it('sends a multipart body with files', async () => {
    const avatar = new File(['bytes'], 'a.png', { type: 'image/png' });
    const photos = [new Blob(['one']), new Blob(['two'])];
    const body = {
      name: 'Ann',
      age: 7,
      newsletter: true,
      avatar,
      photos,
      history: [{ city: 'Rome' }, { city: 'Oslo' }],
    };
    const { data } = await call('post', '/profiles', { headers: multipart, body });
    expect(data).to.deep.include({ name: 'Ann', age: 7, isSubscribed: true, history: body.history });
    expect(data).to.have.deep.property('avatar', { name: 'a.png', mediaType: 'image/png', size: 5, text: 'bytes' });
    expect(data).to.have.nested.property('photos[1].text', 'two');
    const fields = new FormData();
    fields.append('name', 'Bea');
    fields.append('avatar', avatar);
    expect((await call('post', '/profiles', { headers: multipart, body: fields })).data).to.include({ name: 'Bea' });
  });

  it('sends a file of a range of media types', async () => {
    const image = { headers: { 'Content-Type': 'image/png' }, body: new Uint8Array([1, 2, 3]) } as const;
    expect((await call('put', '/images', image)).data).to.include({ mediaType: 'image/png', size: 3 });
    expect((await call('put', '/images', { ...image, body: new Blob(['ab']) })).data).to.include({ size: 2 });
    const headers = { 'Content-Type': 'text/plain' } as const;
    // @ts-expect-error -- The contract does not declare this media type.
    await call('put', '/images', { headers, body: 'a' }).catch(() => undefined);
  });

  it('sends one of several media types, or no body', async () => {
    expect((await call('post', '/notes')).data).to.deep.equal({ mediaType: null, note: null });
    expect((await call('post', '/notes', { body: { text: 'a' } })).data).to.include({ note: 'a' });
    const text = { headers: { 'Content-Type': 'text/plain' }, body: '"a"' } as const;
    expect((await call('post', '/notes', text)).data).to.include({ mediaType: 'text/plain', note: '"A"' });
    const xml = { headers: { 'Content-Type': 'application/xml' }, body: '<a/>' } as const;
    expect((await call('post', '/notes', xml)).data).to.include({ mediaType: 'application/xml', note: '<A/>' });
    const json = { headers: { 'Content-Type': 'application/x+json' }, body: { title: 'a' } } as const;
    expect((await call('post', '/notes', json)).data).to.include({ mediaType: 'application/*+json', note: 'a' });
    // @ts-expect-error -- The body of this media type is text.
    await call('post', '/notes', { headers: text.headers, body: { text: 'a' } }).catch(() => undefined);
  });
});
