import { expect } from 'chai';
import type { RequestState } from '#src/openapi/create-api.js';
import { document, handler, startApi } from '../../support/contract/start-api.js';

async function startErrorOf(starting: Promise<unknown>): Promise<string> {
  try {
    await starting;
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('It started.');
}

describe('createApi', () => {
  it('rejects a handler for an operation that the contract lacks', async () => {
    expect(await startErrorOf(startApi(document, { 'no operation': handler }))).to.equal(
      'The contract has no operation no operation.',
    );
  });

  it('calls the notImplemented handler for an operation without a handler', async () => {
    const operation = { operationId: 'listThings', responses: { 200: { description: 'Done.' } } };
    const api = await startApi({ ...document, security: [], paths: { '/things': { get: operation } } });
    const match = api.router.match('GET', '/v1/things');
    const call: RequestState = {
      match,
      callers: undefined,
      quota: undefined,
      body: { bytes: Buffer.alloc(0) },
    };
    const request = { method: 'GET', path: '/v1/things', query: '', headers: {}, body: undefined };
    expect(await api.handleRequest(request, call)).to.equal('not implemented');
  });
});
