import { expect } from 'chai';
import { type Context, OpenAPIBackend, SetMatchType } from 'openapi-backend';
import { accelerate } from '#src/index.js';
import {
  createBoth,
  createOptions,
  expectSame,
  recorder,
  type Sent,
  sendToBoth,
} from './differential/both-backends.js';
import { plain } from './differential/plain.js';

const toys = (others: Partial<Sent> = {}): Sent => ({ method: 'GET', path: '/v1/toys', headers: {}, ...others });
const create = (body: unknown): Sent => toys({ method: 'POST', body });
const offers = (headers: object = {}): Sent => toys({ path: '/v1/offers', headers });

describe('accelerate', () => {
  it('returns the same instance, also if it was initialized or accelerated before', async () => {
    const api = new OpenAPIBackend(createOptions());
    expect(await accelerate(api)).to.equal(api);
    const { router } = api;
    expect(await accelerate(api)).to.equal(api);
    expect(api.router).to.equal(router);
    const initialized = await new OpenAPIBackend(createOptions()).init();
    const { router: original } = initialized;
    expect(await accelerate(initialized)).to.equal(initialized);
    expect(initialized.router).to.not.equal(original);
  });

  it('has the operations of the instance, unchanged', async () => {
    const { stock, accelerated } = await createBoth();
    expect(accelerated.getOperations()).to.deep.equal(stock.getOperations());
    expect(accelerated.getOperation('getToy')).to.deep.equal(stock.getOperation('getToy'));
    expect(accelerated.getOperation('noToy')).to.equal(undefined);
    for (const path of ['/v1/toys/1', '/v1/nothing'])
      expect(accelerated.matchOperation({ method: 'GET', path, headers: {} })).to.deep.equal(
        stock.matchOperation({ method: 'GET', path, headers: {} }),
      );
  });

  it('calls lifecycle handlers in the same order, with the same context and arguments', async () => {
    const names = ['preRouting', 'postRouting', 'postSecurity', 'preOperation', 'postResponse'];
    const calls: unknown[] = [];
    const handlers = Object.fromEntries(
      names.map((name) => [
        `${name}Handler`,
        (context: Context, ...args: readonly unknown[]) => {
          const record = recorder(name)(context, ...args) as { readonly context: object };
          calls.push(record);
          return name === 'postResponse' ? record : undefined;
        },
      ]),
    );
    const both = await createBoth(() => createOptions({ handlers: { ...createOptions().handlers, ...handlers } }));
    for (const sent of [toys({ query: { name: 'Ball' } }), toys({ path: '/v1' }), create({}), offers()]) {
      await sendToBoth(both, () => structuredClone(sent), 'first', 'second');
      const [stock, accelerated] = [calls.splice(0, calls.length / 2), calls.splice(0)];
      // Validation precedes preOperationHandler, from which on an array that is sent once is one.
      expect(accelerated.map(plain)).to.deep.equal(stock.map(plain));
      expect(stock).to.have.length.above(2);
    }
  });

  it('calls numeric names of lifecycle handlers, and rejects without them', async () => {
    const numeric = Object.fromEntries(['400', '404', '405', '501'].map((name) => [name, recorder(name)]));
    const requests = [create({}), toys({ path: '/v1' }), toys({ method: 'PATCH' }), offers({ authorization: 'a' })];
    expect(await expectSame({ handlers: numeric }, ...requests)).to.deep.equal(['400', '404', '405', '501']);
    const options = { handlers: { listToys: recorder('listToys') }, strict: true };
    expect(await expectSame(options, ...requests, toys(), offers())).to.deep.equal([
      '400-validationFail: createToy request failed validation and no validationFail handler is registered',
      '404-notFound: no route matches request',
      '405-methodNotAllowed: this method is not registered for the route',
      '501-notImplemented: listOffers no handler registered',
      'listToys',
      '401-unauthorized: listOffers request did not satisfy security requirements and no unauthorizedHandler is registered',
    ]);
  });

  it('runs handlers of invalid and unauthorized requests if the instance is not strict', async () => {
    const handlers = { createToy: recorder('createToy'), listOffers: recorder('listOffers') };
    expect(await expectSame({ handlers }, create({}), offers())).to.deep.equal(['createToy', 'listOffers']);
  });

  it('runs security handlers, whose results are in the context', async () => {
    const results = [true, { id: 1 }, undefined, false, { error: 'expired' }];
    for (const result of results) await expectSame({ securityHandlers: { key: () => result } }, offers(), toys());
    const securityHandlers = { key: () => Promise.reject(new Error('unavailable')) };
    expect(await expectSame({ securityHandlers }, offers(), toys())).to.deep.equal(['unauthorizedHandler', 'listToys']);
    expect(await expectSame({ securityHandlers: {} }, offers())).to.deep.equal(['unauthorizedHandler']);
  });

  it('registers handlers afterwards, and rejects unknown ones', async () => {
    const both = await createBoth(() => createOptions({ strict: true }));
    for (const api of [both.stock, both.accelerated]) {
      api.register('listOffers', recorder('later'));
      api.register({ getToy: recorder('later') });
      api.registerSecurityHandler('key', () => 'later');
      expect(() => {
        api.register('noToy', recorder('no'));
      }).to.throw('Unknown operationId noToy');
      expect(() => {
        api.registerSecurityHandler('none', () => true);
      }).to.throw('Unknown security scheme none');
    }
    const { stock, accelerated } = await sendToBoth(both, () => offers());
    expect(plain(accelerated)).to.deep.equal(plain(stock));
    expect(accelerated).to.have.property('handler', 'later');
  });

  it('mocks and validates responses as before', async () => {
    const { stock, accelerated } = await createBoth();
    for (const api of [stock, accelerated])
      expect(api.mockResponseForOperation('getToy').mock).to.deep.equal({ id: 1, name: 'Block' });
    for (const [body, status] of [
      [{ id: 1 }, 200],
      [{ id: 'x' }, 200],
      [{}, undefined],
      [{}, 404],
    ] as const)
      expect(accelerated.validateResponse(body, 'getToy', status)).to.deep.equal(
        stock.validateResponse(body, 'getToy', status),
      );
    for (const total of ['5', 'five'])
      for (const setMatchType of Object.values(SetMatchType)) {
        const validate = (api: OpenAPIBackend) =>
          api.validateResponseHeaders({ 'X-Total': total, other: 'a' }, 'getToy', { statusCode: 200, setMatchType });
        expect(validate(accelerated)).to.deep.equal(validate(stock));
      }
  });

  it('validates requests that are passed to it directly', async () => {
    const { stock, accelerated } = await createBoth();
    for (const sent of [create({ name: 'Ball' }), create({}), toys({ query: { limit: '0' } })])
      for (const operation of [undefined, sent.method === 'GET' ? 'listToys' : 'createToy']) {
        const validate = (api: OpenAPIBackend) =>
          api.validateRequest(sent as Parameters<typeof api.validateRequest>[0], operation);
        const { valid, errors } = validate(accelerated);
        expect(valid).to.equal(validate(stock).valid);
        expect(errors === null).to.equal(valid);
      }
    const unknown = { method: 'GET', path: '/v1', headers: {} };
    expect(() => accelerated.validateRequest(unknown)).to.throw('Unknown operation');
    expect(() => accelerated.validateRequest(unknown, 'noToy')).to.throw('Unknown operation');
  });

  it('leaves parameters as text if requests are not validated', async () => {
    const invalid = [toys({ query: { limit: 'x' } }), create({})];
    expect(await expectSame({ validate: false }, ...invalid)).to.deep.equal(['listToys', 'createToy']);
    const validate = ({ request }: Context, first: unknown) => request.method === 'post' && first === 'first';
    expect(await expectSame({ validate }, ...invalid)).to.deep.equal(['listToys', 'validationFail']);
  });

  it('passes typed parameters also without coerceTypes', async () => {
    const { stock, accelerated } = await createBoth(() => createOptions({ coerceTypes: false }));
    const sent = toys({ query: { limit: '5', isSold: 'true' } }) as Parameters<OpenAPIBackend['handleRequest']>[0];
    const query = async (api: OpenAPIBackend) =>
      ((await api.handleRequest(sent)) as { context: { request: { query: object } } }).context.request.query;
    expect(await query(accelerated)).to.deep.equal({ limit: 5, isSold: true });
    expect(await query(stock)).to.deep.equal({ limit: '5', isSold: 'true' });
  });

  it('matches paths with its apiRoot and ignoreTrailingSlashes', async () => {
    const paths = ['/toys', '/toys/', '/api/toys', '/api/toys/', '/api/toys//', '/api', '/apitoys', 'api/toys'];
    for (const apiRoot of ['/', '/api', '/api/', 'api'])
      for (const ignoreTrailingSlashes of [true, false])
        await expectSame({ apiRoot, ignoreTrailingSlashes }, ...paths.map((path) => toys({ path })));
  });
});
