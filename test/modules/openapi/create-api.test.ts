import { expect } from 'chai';
import type { RequestState } from '#src/openapi/create-api.js';
import { document, handler, startApi } from '../../support/contract/start-api.js';
import { errorOf } from '../../support/error-of.js';

describe('createApi', () => {
  it('rejects a handler for an operation that the contract lacks', async () => {
    expect(await errorOf(startApi(document, { 'no operation': handler }))).to.have.property(
      'message',
      'The contract has no operation no operation.',
    );
  });

  const call = async (handlers: object, callers: RequestState['callers']) => {
    const operation = { operationId: 'listThings', responses: { 200: { description: 'Done.' } } };
    const api = await startApi({ ...document, security: [], paths: { '/things': { get: operation } } }, handlers);
    const match = api.router.match('GET', '/v1/things');
    const state: RequestState = { match, callers, quota: undefined, body: { bytes: Buffer.alloc(0) } };
    const request = { method: 'GET', path: '/v1/things', query: '', headers: {}, body: undefined };
    return api.handleRequest(request, state) as Promise<unknown>;
  };

  it('calls the handler of an authorized request only', async () => {
    expect(await call({ listThings: handler }, [])).to.equal('handled');
    expect(await errorOf(call({ listThings: handler }, undefined))).to.have.property(
      'message',
      'The request was not authorized.',
    );
  });

  it('calls the notImplemented handler for an operation without a handler', async () => {
    expect(await call({}, [])).to.equal('not implemented');
  });
});
