import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { OpenAPIBackend, type Options } from 'openapi-backend';
import { stringify } from 'yaml';
import { accelerate } from '#src/index.js';
import { ContractError } from '#src/openapi/contract-error.js';
import { errorOf } from '../support/error-of.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import {
  createBoth,
  createOptions,
  expectSame,
  recorder,
  type Sent,
  sendToBoth,
} from './differential/both-backends.js';
import { plain } from './differential/plain.js';
import { createDocument } from './differential/toys-document.js';

const create = (body: unknown, query: object = {}): Sent => ({
  ...{ method: 'POST', path: '/v1/toys' },
  ...{ headers: {}, query, body },
});
const nested = { name: 'Ball', parts: [{ name: 'Valve', parts: [{ name: '' }] }] };

/** A valid document with an operation that has these members. */
function documentWith(operation: object, others: object = {}): Options['definition'] {
  const createToy = { operationId: 'createToy', responses: { 200: { description: 'Done' } }, ...operation };
  const document = {
    openapi: '3.0.4',
    info: { title: 'Toys', version: '1.0.0' },
    paths: { '/toys': { post: createToy } },
  };
  return { ...document, ...others };
}

const handlers = { createToy: recorder('createToy'), validationFail: recorder('validationFail') };
const optionsFor = (definition: Options['definition'], others: Partial<Options> = {}) =>
  createOptions({ definition, handlers, securityHandlers: {}, ...others });

describe('accelerate, for definitions', () => {
  it('takes a path, a file URL, or an object, with references in any of them', async () => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, 'schemas'));
    const { components, ...document } = createDocument();
    const files = { $ref: 'schemas/toy.yaml' };
    writeFileSync(
      join(directory, 'schemas/toy.yaml'),
      stringify(components?.schemas?.['NewToy']).replaceAll('#/components/schemas/NewToy', 'toy.yaml'),
    );
    const path = join(directory, 'toys.yaml');
    writeFileSync(path, stringify({ ...document, components: { ...components, schemas: { NewToy: files } } }));
    const requests = [create({ name: 'Ball' }), create(nested), create({ ...nested, parts: [] })];
    for (const definition of [path, relative('', path), pathToFileURL(path).href])
      expect(await expectSame({ definition, quick: false }, ...requests)).to.deep.equal([
        'createToy',
        'validationFail',
        'createToy',
      ]);
  });

  it('takes an object whose references openapi-backend has replaced, also by objects that contain themselves', async () => {
    for (const quick of [true, false]) {
      const api = await new OpenAPIBackend(createOptions({ quick })).init();
      await accelerate(api);
      const stock = await new OpenAPIBackend(createOptions({ quick })).init();
      for (const body of [nested, { name: 'Ball', parts: [{ name: 'Valve' }] }]) {
        const { stock: one, accelerated: other } = await sendToBoth({ stock, accelerated: api }, () =>
          create(structuredClone(body)),
        );
        expect(plain(other)).to.deep.equal(plain(one));
      }
    }
  });

  it('takes an object without components that contains itself', async () => {
    const tree: Record<string, unknown> = { type: 'object', required: ['id'] };
    tree['properties'] = { id: { type: 'integer' }, children: { type: 'array', items: tree } };
    const requestBody = { content: { 'application/json': { schema: tree } } };
    const options = () => optionsFor(documentWith({ requestBody }), { quick: true });
    const api = await accelerate(new OpenAPIBackend(options()));
    for (const [body, handler] of [
      [{ id: 1, children: [{ id: 2 }] }, 'createToy'],
      [{ id: 1, children: [{}] }, 'validationFail'],
    ] as const)
      expect(await api.handleRequest({ method: 'POST', path: '/v1/toys', headers: {}, body })).to.have.property(
        'handler',
        handler,
      );
  });

  it('selects a branch by its discriminator, whose mapping has references', async () => {
    const kind = (value: string) => ({
      type: 'object',
      required: ['kind'],
      properties: { kind: { type: 'string', enum: [value] }, size: { type: 'integer' } },
    });
    const branches = { Ball: kind('ball'), Kite: kind('kite') };
    const oneOf = Object.keys(branches).map((name) => ({ $ref: `#/components/schemas/${name}` }));
    const mapping = { ball: '#/components/schemas/Ball', kite: '#/components/schemas/Kite' };
    const requestBody = {
      content: { 'application/json': { schema: { oneOf, discriminator: { propertyName: 'kind', mapping } } } },
    };
    const definition = () => documentWith({ requestBody }, { components: { schemas: branches } });
    const both = await createBoth(() => optionsFor(definition()));
    for (const body of [{ kind: 'ball', size: 1 }, { kind: 'kite' }, { kind: 'doll' }, {}]) {
      const { stock, accelerated } = await sendToBoth(both, () => create(body));
      expect((accelerated as { handler: string }).handler).to.equal((stock as { handler: string }).handler);
    }
  });

  it('validates OpenAPI 3.1 in its dialect, which openapi-backend does not support', async () => {
    const schema = { type: ['array', 'null'], prefixItems: [{ type: 'string' }, { type: 'integer' }] };
    const requestBody = { content: { 'application/json': { schema } } };
    const definition = () => documentWith({ requestBody }, { openapi: '3.1.1' });
    const both = await createBoth(() => optionsFor(definition(), { quick: true }));
    for (const [body, handler, original] of [
      [null, 'createToy', 'createToy'],
      [['a', 1], 'createToy', 'createToy'],
      [[1, 'a'], 'validationFail', 'createToy'],
    ] as const) {
      const { stock, accelerated } = await sendToBoth(both, () => create(body));
      expect(accelerated).to.have.property('handler', handler);
      expect(stock).to.have.property('handler', original);
    }
  });

  it('applies the parameter of an operation, not that of its path, and ignores headers that OpenAPI ignores', async () => {
    const limit = (maximum: number) => ({ name: 'limit', in: 'query', schema: { type: 'integer', maximum } });
    const accept = { name: 'Accept', in: 'header', required: true, schema: { type: 'string' } };
    const post = { operationId: 'createToy', parameters: [limit(9)], responses: { 200: { description: 'Done' } } };
    const ofPath = () => documentWith({}, { paths: { '/toys': { parameters: [limit(5)], post } } });
    const ofHeader = () => documentWith({ parameters: [accept] });
    for (const definition of [ofPath, ofHeader]) {
      const { stock, accelerated } = await sendToBoth(await createBoth(() => optionsFor(definition())), () =>
        create(undefined, definition === ofPath ? { limit: '7' } : {}),
      );
      expect(accelerated).to.have.property('handler', 'createToy');
      expect(stock).to.have.property('handler', 'validationFail');
    }
  });

  it('accepts what only a service cannot serve, and ignores extensions', async () => {
    const parameters = [{ name: 'session', in: 'cookie', schema: { type: 'integer' } }];
    const operation = { parameters, servers: [{ url: 'https://toys.example' }], 'x-successor': 'none', 'x-sunset': 7 };
    const others = {
      servers: [{ url: 'https://' }],
      security: [{ key: [] }],
      components: { securitySchemes: { key: { type: 'apiKey', in: 'query', name: 'key' } } },
      'x-rate-limit-plans': 'many',
    };
    const definition = documentWith(operation, others);
    const options = { definition, handlers, securityHandlers: { key: () => true } };
    for (const cookie of ['session=5', 'session=a'])
      await expectSame({ ...options, handlers: {} }, { ...create(undefined), headers: { cookie } });
    const api = await accelerate(new OpenAPIBackend({ ...createOptions(options), quick: true }));
    const sent = { method: 'POST', path: '/v1/toys', headers: { cookie: 'session=5' } };
    expect(await api.handleRequest(sent)).to.have.nested.property('context.request.cookies.session', 5);
  });

  it('names an operation without an operationId after its method and path', async () => {
    const { operationId: _, ...operation } = { operationId: '', responses: { 200: { description: 'Done' } } };
    const definition = {
      ...(documentWith({}) as object),
      paths: { '/toys': { post: operation } },
    } as unknown as Options['definition'];
    const api = new OpenAPIBackend({ definition, apiRoot: '/v1', strict: true });
    await accelerate(api);
    api.register('POST /toys', recorder('found'));
    expect(await api.handleRequest({ method: 'POST', path: '/v1/toys', headers: {} })).to.have.property(
      'handler',
      'found',
    );
  });
});

describe('accelerate, for unsupported definitions', () => {
  const parameters = [
    { name: 'filter', in: 'query', schema: { type: 'object' } },
    { name: 'ids', in: 'header', schema: { type: 'array', items: { type: 'string' } } },
  ];
  const requestBody = { content: { 'application/x-www-form-urlencoded': { schema: { type: 'object' } } } };
  const unsupported = { parameters, requestBody };

  it('reports each unsupported part with its place, and leaves the instance unchanged', async () => {
    const api = await new OpenAPIBackend(optionsFor(documentWith(unsupported))).init();
    const { router, validator } = api;
    const error = await errorOf(accelerate(api));
    expect(error).to.be.instanceOf(ContractError);
    expect((error as Error).message.split('\n')).to.deep.equal([
      '#/paths/~1toys/post/parameters/0 createToy: The query parameter filter is an object, which is supported with the style deepObject only.',
      '#/paths/~1toys/post/parameters/1 createToy: The header parameter ids is an array or an object, which is supported in the query only.',
      '#/paths/~1toys/post/requestBody createToy: The body is application/x-www-form-urlencoded, which is not supported; declare only application/json or a +json type.',
    ]);
    expect(api.router).to.equal(router);
    expect(api.validator).to.equal(validator);
    expect(await api.handleRequest({ method: 'POST', path: '/v1/toys', headers: {} })).to.have.property(
      'handler',
      'createToy',
    );
  });

  it('reports lines of a file', async () => {
    const path = join(temporaryDirectory(), 'toys.yaml');
    writeFileSync(path, stringify(documentWith(unsupported)));
    const error = await errorOf(accelerate(new OpenAPIBackend({ definition: path })));
    expect((error as Error).message.split('\n')).to.have.length(3);
    expect((error as Error).message).to.include(
      `${relative('', path)}:13:11 createToy: The query parameter filter is an object`,
    );
  });

  it('reports an invalid document, and one that openapi-backend does not load', async () => {
    const invalid = { ...(documentWith({}) as object), info: {} } as unknown as Options['definition'];
    for (const strict of [true, false])
      expect(await errorOf(accelerate(new OpenAPIBackend({ definition: invalid, strict })))).to.be.instanceOf(
        ContractError,
      );
    const nullable = { content: { 'application/json': { schema: { type: ['string', 'null'] } } } };
    const error = await errorOf(
      accelerate(new OpenAPIBackend({ definition: documentWith({ requestBody: nullable }, { openapi: '3.1.1' }) })),
    );
    expect(error).to.have.property(
      'message',
      'openapi-backend did not load the definition; its warning says why. For OpenAPI 3.1, set quick: true.',
    );
  });
});
