import { requestState } from '@contract-server/test-support/contract/request-state.js';
import { document, handler, startApi } from '@contract-server/test-support/contract/start-api.js';
import { errorOf } from '@contract-server/test-support/error-of.js';
import { expect } from 'chai';
import type { OpenAPIV3 } from 'openapi-types';

describe('createApi', () => {
  it('rejects a handler for an operation that the contract lacks', async () => {
    expect(await errorOf(startApi(document, { 'no operation': handler }))).to.have.property(
      'message',
      'The contract has no operation no operation.',
    );
  });

  it('gives openapi-backend what each reference leads to, also if that contains itself', async () => {
    const pointer = '#/paths/~1trees/post/requestBody';
    const tree = { type: 'object', properties: { child: { $ref: '#/components/schemas/Named' } } };
    const post = { operationId: 'plant', requestBody: { content: { 'application/json': { schema: tree } } } };
    const schemas = { Named: { $ref: `${pointer}/content/application~1json/schema` } };
    const example = { $ref: 'trees.yaml', self: { $ref: '#/paths/~1trees/put/x-example/self' } };
    const put = { operationId: 'move', requestBody: { $ref: pointer }, 'x-example': example };
    const paths = { '/trees': { post, put } };
    const { definition } = await startApi({ openapi: '3.1.1', components: { schemas }, paths });
    const { post: planted, put: moved } = definition.paths['/trees'] ?? {};
    expect(moved?.requestBody).to.equal(planted?.requestBody);
    expect(moved).to.deep.include({ 'x-example': { self: {} } });
    const named = definition.components?.schemas?.['Named'] as OpenAPIV3.SchemaObject;
    expect(named.properties?.['child']).to.equal(named);
    expect((planted?.requestBody as OpenAPIV3.RequestBodyObject).content['application/json']?.schema).to.equal(named);
  });

  it('finds each operation without creating the others, which takes seconds for thousands of them', async () => {
    const ids = ['getOne', 'getTwo'];
    const paths = Object.fromEntries(ids.map((id) => [`/${id}`, { get: { operationId: id, responses: {} } }]));
    const { router, handlers } = await startApi({ ...document, paths }, { getOne: handler, getTwo: handler });
    expect(ids.map((id) => router.getOperation(id))).to.deep.equal(router.getOperations());
    for (const [index, id] of ids.entries()) expect(router.getOperation(id)).to.equal(router.getOperations()[index]);
    expect(Object.keys(handlers)).to.include.members(ids);
  });

  const call = async (handlers: object, isAuthorized = true, operationId = 'listThings') => {
    const operation = { operationId, responses: { 200: { description: 'Done.' } } };
    const api = await startApi({ ...document, security: [], paths: { '/things': { get: operation } } }, handlers);
    const match = api.router.match('GET', '/v1/things');
    const state = requestState({ match, requirement: isAuthorized ? [] : undefined });
    const request = { method: 'GET', path: '/v1/things', query: '', headers: {}, body: undefined };
    return api.handleRequest(request, state) as Promise<unknown>;
  };

  it('calls the handler of an authorized request only', async () => {
    expect(await call({ listThings: handler })).to.deep.equal({ status: 200 });
    expect(await errorOf(call({ listThings: handler }, false))).to.have.property(
      'message',
      'The request was not authorized.',
    );
  });

  it('calls the notImplemented handler for an operation without a handler', async () => {
    for (const operationId of ['listThings', 'constructor', 'toString', 'hasOwnProperty'])
      expect(await call({}, true, operationId)).to.equal('not implemented');
  });
});
