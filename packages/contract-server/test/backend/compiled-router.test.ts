import { ApiError } from '@contract-server/core/lib/errors.js';
import { document, handler, startApi } from '@contract-server/test-support/contract/start-api.js';
import { expect } from 'chai';

describe('CompiledRouter with 103 operations', () => {
  const item = (...operations: (readonly [method: string, id: string])[]) =>
    Object.fromEntries(
      operations.map(([method, operationId]) => [
        method,
        { operationId, security: [], responses: { 200: { description: 'x' } } },
      ]),
    );
  const parameters = (...names: string[]) => ({
    parameters: names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
  });
  const many = Array.from({ length: 93 }, (_, index) => String(index));
  const paths = {
    '/pets': item(['get', 'listPets'], ['post', 'createPet']),
    '/pets/{id}': { ...item(['get', 'getPet'], ['delete', 'deletePet']), ...parameters('id') },
    '/pets/mine': item(['get', 'listMine']),
    '/pets/{id}/toys/{toy}': { ...item(['get', 'getToy']), ...parameters('id', 'toy') },
    '/pets/mine/toys': item(['get', 'listMyToys']),
    '/{kind}/{id}/toys': { ...item(['get', 'listToys']), ...parameters('kind', 'id') },
    '/head': item(['get', 'getHead'], ['head', 'headHead']),
    ...Object.fromEntries(
      many.map((index) => [`/many/${index}/{id}`, { ...item(['put', `put${index}`]), ...parameters('id') }]),
    ),
  };
  const ids = Object.values(paths).flatMap((entry) =>
    Object.values(entry as Record<string, { operationId?: string }>).flatMap(({ operationId }) => operationId ?? []),
  );
  const contract = { ...document, paths };
  const start = () => startApi(contract, Object.fromEntries(ids.map((id) => [id, handler])));

  it('has every operation', async () => {
    const api = await start();
    expect(api.router.getOperations().map(({ operationId }) => operationId))
      .to.have.members(ids)
      .and.have.lengthOf(103);
  });

  const matches: readonly (readonly [request: string, id: string, parameters: Readonly<Record<string, string>>])[] = [
    ['GET /v1/pets', 'listPets', {}],
    ['POST /v1/pets', 'createPet', {}],
    ['GET /v1/pets/7', 'getPet', { id: '7' }],
    ['GET /v1/pets/%2F', 'getPet', { id: '%2F' }],
    ['GET /v1/pets/__proto__', 'getPet', { id: '__proto__' }],
    ['GET /v1/pets/mine', 'listMine', {}],
    ['GET /v1/pets/Mine', 'getPet', { id: 'Mine' }],
    ['HEAD /v1/pets/mine', 'listMine', {}],
    ['HEAD /v1/head', 'headHead', {}],
    ['DELETE /v1/pets/7', 'deletePet', { id: '7' }],
    ['GET /v1/pets/7/toys/ball', 'getToy', { id: '7', toy: 'ball' }],
    ['GET /v1/pets/mine/toys', 'listMyToys', {}],
    ['GET /v1/pets/mine/toys/ball', 'getToy', { id: 'mine', toy: 'ball' }],
    ['GET /v1/pets/7/toys', 'listToys', { kind: 'pets', id: '7' }],
    ['GET /v1/cats/7/toys', 'listToys', { kind: 'cats', id: '7' }],
    ['PUT /v1/many/0/a', 'put0', { id: 'a' }],
    ['PUT /v1/many/92/a', 'put92', { id: 'a' }],
  ];
  it('matches a request to the operation whose path has literal segments first, and returns its parameters', async () => {
    const api = await start();
    for (const [request, id, values] of matches) {
      const [method = '', path = ''] = request.split(' ');
      const match = api.router.match(method, path);
      if (match.kind !== 'operation') throw new Error(`${request}: ${match.kind}`);
      expect([match.operation.operationId, { ...match.params }], request).to.deep.equal([id, values]);
    }
  });

  it('finds no operation for another path, also below a path of the contract or with a trailing slash', async () => {
    const api = await start();
    const below = ['/v1/many', '/v1/many/0', '/v1/many/0/', '/v1/many/93/a', '/v1/pets/', '/v1/pets/7/toys/'];
    for (const path of [...below, '/v1', '/v1/', '/pets', '/v2/pets', '/v1//7/toys'])
      expect(api.router.match('GET', path), path).to.deep.equal({ kind: 'not found' });
  });

  it('returns the Allow header of a path for another method', async () => {
    const api = await start();
    for (const [path, allow] of [
      ['/v1/pets', 'GET, HEAD, OPTIONS, POST'],
      ['/v1/pets/7', 'DELETE, GET, HEAD, OPTIONS'],
      ['/v1/pets/mine', 'GET, HEAD, OPTIONS'],
      ['/v1/many/5/a', 'OPTIONS, PUT'],
    ] as const)
      for (const method of ['PATCH', 'get'])
        expect(api.router.match(method, path)).to.deep.equal({ kind: 'method not allowed', allow });
  });
});

describe('CompiledRouter, for a query parameter that is an array', () => {
  const start = (parameter: object) => {
    const names = {
      name: 'name',
      in: 'query',
      schema: { type: 'array', items: { type: 'string', enum: ['Rex', 'Mia'] } },
    };
    const operation = { operationId: 'listPets', security: [], parameters: [{ ...names, ...parameter }] };
    const paths = { '/pets': { get: { ...operation, responses: { 200: { description: 'x' } } } } };
    return startApi({ ...document, paths }, { listPets: (request: object) => Promise.resolve(request) });
  };

  it('passes an array to the handler, also of one item, and validates each item', async () => {
    const api = await start({});
    const operation = api.router.getOperation('listPets');
    const parse = (query: string) => {
      const request = { method: 'GET', path: '/v1/pets', query, headers: {}, body: undefined };
      const { valid } = api.validator.validateRequest(request, operation);
      return { valid, ...api.router.parseRequest(request).query };
    };
    expect(parse('name=Rex')).to.deep.equal({ valid: true, name: ['Rex'] });
    expect(parse('name=Rex&name=Mia')).to.deep.equal({ valid: true, name: ['Rex', 'Mia'] });
    expect(parse('')).to.deep.equal({ valid: true });
    expect(parse('name=Rex&name=Tom')).to.include({ valid: false });
  });
});

describe('CompiledRouter, for one operation', () => {
  const schema = { type: 'string' };
  const parameters = [
    { name: 'id', in: 'path', required: true, schema: { type: 'integer' } },
    { name: 'Idempotency-Key', in: 'header', schema },
    { name: 'X-Trace', in: 'header', schema: { type: 'integer' } },
    { name: 'X-Unsent', in: 'header', schema: { type: 'array', items: schema } },
    { name: 'name', in: 'query', schema: { type: 'array', items: schema } },
    { name: 'status', in: 'query', schema },
    { name: 'page', in: 'query', schema: { type: 'integer' } },
  ];
  const start = (changes: object = {}) => {
    const operation = { operationId: 'getPet', security: [], parameters, responses: { 200: { description: 'x' } } };
    return startApi({ ...document, security: [], paths: { '/pets/{id}': { get: { ...operation, ...changes } } } });
  };
  const requestOf = (target: string) => {
    const [path = '', query = ''] = target.split('?');
    return {
      method: 'GET',
      path,
      query,
      headers: { 'idempotency-key': 'one', 'x-trace': '12', host: 'x' },
      body: undefined,
    };
  };

  it('finds it by its id only', async () => {
    const { router } = await start();
    expect(router.getOperation('getPet')).to.equal(router.getOperations()[0]);
    expect(router.getOperation('listPets')).to.equal(undefined);
  });

  it('returns no operation for another path, or throws if it must', async () => {
    const { router } = await start();
    expect(router.matchOperation(requestOf('/v1/pets/1'))).to.equal(router.getOperations()[0]);
    expect(router.matchOperation(requestOf('/v1/pets'))).to.equal(undefined);
    expect(() => router.matchOperation(requestOf('/v1/pets'), true)).to.throw('404-notFound');
    const post = { ...requestOf('/v1/pets/1'), method: 'POST' };
    expect(router.matchOperation(post)).to.equal(undefined);
    expect(() => router.matchOperation(post, true)).to.throw('405-methodNotAllowed');
    expect(router.parseRequest(post)).to.include({ method: 'POST', path: '/v1/pets/1', requestBody: undefined });
    expect(router.parseRequest(post).params).to.deep.equal({});
  });

  it('has the names of its headers in lower case', async () => {
    const [operation] = (await start()).router.getOperations();
    expect(operation).to.deep.include({ headerNames: ['idempotency-key', 'x-trace', 'x-unsent'] });
  });

  it('has its security requirements, with those that name a scheme first', async () => {
    const [operation] = (
      await start({ security: [{}, { jwt: ['read'] }, { apiKey: [], jwt: [] }] })
    ).router.getOperations();
    const [apiKey, jwt] = [
      { name: 'apiKey', index: 1, scopes: [] },
      { name: 'jwt', index: 0, scopes: [] },
    ];
    const requirements = [[{ ...jwt, scopes: ['read'] }], [apiKey, jwt], []];
    expect(operation).to.deep.include({ schemes: ['jwt', 'apiKey'], requirements, security: [] });
  });

  it('parses what the operation declares, and throws for an invalid escape or over 100 query parameters', async () => {
    const { router, validator } = await start();
    const parse = (target: string) => {
      const request = requestOf(target);
      validator.validateRequest(request, router.getOperation('getPet'));
      return router.parseRequest(request);
    };
    const { params, query, headers } = parse('/v1/pets/%C3%A9?name=Rex&status=sold');
    expect({ params, query: { ...query }, headers }).to.deep.equal({
      params: { id: 'é' },
      query: { name: ['Rex'], status: 'sold' },
      headers: { 'idempotency-key': 'one', 'x-trace': 12 },
    });
    expect(parse('/v1/pets/%37').params).to.deep.equal({ id: 7 });
    expect({ ...parse('/v1/pets/7?page=2').query }).to.deep.equal({ page: 2 });
    expect({ ...parse('/v1/pets/7?page=2&page=3').query }).to.deep.equal({ page: ['2', '3'] });
    const many = (count: number) => Array.from({ length: count }, () => 'name=Rex').join('&');
    expect({ ...parse(`/v1/pets/1?${many(100)}`).query }).to.deep.equal({ name: Array<string>(100).fill('Rex') });
    for (const [target, code, message] of [
      ['/v1/pets/%', 'malformed_url', 'The URL has an invalid percent-encoding. Encode a percent sign as %25.'],
      [
        '/v1/pets/1?name=%zz',
        'malformed_url',
        'The URL has an invalid percent-encoding. Encode a percent sign as %25.',
      ],
      [`/v1/pets/%?${many(101)}`, 'invalid_request', 'The query must have at most 100 parameters.'],
    ] as const)
      expect(() => parse(target))
        .to.throw(ApiError, message)
        .with.property('code', code);
  });
});
