import type { ContractDocument } from '@contract-server/core/contract/document.js';
import { RawConnection } from '@contract-server/test-support/clients/raw-connection.js';
import { toysContract } from '@contract-server/test-support/contract/toys-contract.js';
import { startComposed } from '@contract-server/test-support/servers/composed.js';
import { expect } from 'chai';

const headers = { 'X-Count': { required: true, schema: { type: 'integer' } } } as const;
const content = { 'application/json': {} };
const responses = { 200: { description: 'Toys', headers, content }, 304: { description: 'Same', content } };
const { security: _security, ...toys } = toysContract.document;
const paths = {
  '/toys': { head: { operationId: 'countToys', responses }, get: { operationId: 'listToys', responses } },
};
const document: ContractDocument = { ...toys, paths };

/** The response to a request whose handler returns `returned`. A second request on the connection has the same. */
async function respond(method: 'HEAD' | 'GET', returned: object) {
  const handle = () => Promise.resolve(returned);
  const handlers = { countToys: handle, listToys: handle };
  const parts = { document, handlers, security: {}, validateResponses: true };
  const { server, reported } = await startComposed(parts);
  const request = `${method} /v1/toys HTTP/1.1\r\nHost: a\r\n\r\n`;
  const connection = await RawConnection.open({ server }, request.repeat(2));
  const first = await connection.readResponse(method === 'HEAD');
  const second = await connection.readResponse(method === 'HEAD');
  expect(second.status).to.equal(first.status);
  return { ...first, reason: reported.map(String).join('') };
}

describe('an operation with the method HEAD', () => {
  const count = { 'X-Count': '3' };

  it('needs no body, has no length then, and keeps the connection open', async () => {
    const { status, headers: sent } = await respond('HEAD', { status: 200, headers: count });
    expect(status).to.equal(200);
    expect(sent).to.include({ 'x-count': '3', connection: 'keep-alive' });
    expect(sent).not.to.have.any.keys('content-length', 'transfer-encoding');
  });

  it('may have a body, whose length and media type are sent', async () => {
    const { status, headers: sent } = await respond('HEAD', { status: 200, headers: count, body: [1] });
    expect(status).to.equal(200);
    expect(sent).to.include({ 'content-length': '3', 'content-type': 'application/json' });
  });

  it('has the headers that the contract requires', async () => {
    const missing = await respond('HEAD', { status: 200 });
    expect(missing).to.include({ status: 500 });
    expect(missing.reason).to.include('the header x-count is missing.');
    const invalid = await respond('HEAD', { status: 200, headers: { 'X-Count': 'three' } });
    expect(invalid.reason).to.include('x-count must be an integer');
  });
});

describe('an operation with another method', () => {
  it('needs no body for a status that has none', async () => {
    expect(await respond('GET', { status: 304 })).to.include({ status: 304, reason: '' });
  });

  it('needs its body', async () => {
    const { status, reason } = await respond('GET', { status: 200, headers: { 'X-Count': '3' } });
    expect(status).to.equal(500);
    expect(reason).to.include('the body is missing.');
  });
});
