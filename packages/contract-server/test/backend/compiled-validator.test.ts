import { document, startApi } from '@contract-server/test-support/contract/start-api.js';
import { expect } from 'chai';
import type { CompiledOperation } from '#src/backend/compiled-operation.js';

const integer = { type: 'integer', minimum: 1, maximum: 9 };
const schema = { type: 'object', properties: { age: integer } };
const operation = {
  operationId: 'createPet',
  security: [],
  parameters: [
    { name: 'petId', in: 'path', required: true, schema: integer },
    { name: 'limit', in: 'query', schema: { ...integer, default: 2 } },
    { name: 'X-Seats', in: 'header', required: true, schema: integer },
  ],
  requestBody: { required: true, 'x-max-body-bytes': 100, content: { 'application/json': { schema } } },
  responses: { 200: { description: 'x' } },
};

describe('CompiledValidator', () => {
  const start = async () => {
    const { router, validator } = await startApi({ ...document, paths: { '/pets/{petId}': { post: operation } } });
    const compiled = router.getOperation('createPet') as CompiledOperation;
    const validate = (
      target: string,
      requestBody: unknown = {},
      headers: Record<string, string> = { 'x-seats': '1' },
    ) => {
      const [path = '', query = ''] = target.split('?');
      const request = { method: 'POST', path, query, headers, body: requestBody ?? undefined };
      const { valid, errors } = validator.validateRequest(request, compiled);
      const { params, query: values } = router.parseRequest(request);
      return { valid, errors, params, query: { ...values } };
    };
    return { validate };
  };

  it('replaces text by integers and adds defaults, in parameters only', async () => {
    const { validate } = await start();
    expect(validate('/v1/pets/7?limit=3', { age: 1 })).to.deep.equal({
      ...{ valid: true, errors: null },
      ...{ params: { petId: 7 }, query: { limit: 3 } },
    });
    expect(validate('/v1/pets/7')).to.deep.include({ valid: true, query: { limit: 2 } });
    expect(validate('/v1/pets/7', { age: '1' }).valid).to.equal(false);
    expect(validate('/v1/pets/10?limit=x', { age: 10 }).errors).to.have.lengthOf(3);
  });

  it('requires the parameters and the body that the contract requires, and rejects unknown query parameters', async () => {
    const { validate } = await start();
    for (const [target, body, headers, ...expected] of [
      ['/v1/pets/7', {}, {}, 'required', '/header'],
      ['/v1/pets/7', {}, { 'x-seats': '0' }, 'exactNumber', '/header/x-seats'],
      ['/v1/pets/7', null, undefined, 'required', ''],
      ['/v1/pets/7', [], undefined, 'type', '/requestBody'],
      ['/v1/pets/7?page=1', {}, undefined, 'additionalProperties', '/query'],
      ['/v1/pets/7?limit=1&limit=2', {}, undefined, 'exactNumber', '/query/limit'],
    ] as const) {
      const [first, ...others] = validate(target, body, headers).errors ?? [];
      expect([first?.keyword, first?.instancePath], target).to.deep.equal(expected);
      expect(others).to.deep.equal([]);
    }
  });

  it('rejects a body that is read-only, but no parameter: a parameter is not part of a resource', async () => {
    const id = { type: 'integer', readOnly: true };
    const parameters = [
      { name: 'petId', in: 'path', required: true, schema: id },
      {
        name: 'filter',
        in: 'query',
        style: 'deepObject',
        schema: { type: 'object', properties: { id, age: integer } },
      },
    ];
    const requestBody = {
      required: true,
      content: { 'application/json': { schema: { allOf: [{ ...schema, readOnly: true }] } } },
    };
    const paths = { '/pets/{petId}': { post: { ...operation, parameters, requestBody } } };
    const { router, validator } = await startApi({ ...document, paths });
    const placesOf = (target: string, body?: object) => {
      const [path = '', query = ''] = target.split('?');
      const request = { method: 'POST', path, query, headers: {}, body };
      const compiled = router.getOperation('createPet') as CompiledOperation;
      return (validator.validateRequest(request, compiled).errors ?? []).map(({ instancePath }) => instancePath);
    };
    expect(placesOf('/v1/pets/7?filter[age]=1')).to.deep.equal([]);
    expect(placesOf('/v1/pets/7?filter[id]=1')).to.have.lengthOf(1);
    expect(placesOf('/v1/pets/7', { age: 1 })).to.deep.equal(['/requestBody']);
  });
});
