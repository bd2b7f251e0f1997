import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ContractTypes } from '@contract-server/core/types/types.js';
import type { AnyContract } from '@contract-server/test-support/clients/any-contract.js';
import { compile, folder } from '@contract-server/test-support/compile-types.js';
import { place } from '@contract-server/test-support/contract/contract-errors.js';
import { errorOf } from '@contract-server/test-support/error-of.js';
import { expect } from 'chai';
import { generateTypes } from 'contract-server/generate/generate-types.js';
import { generatedFiles } from 'contract-server/generate/generated-files.js';
import { createRouter } from 'contract-server/index.js';
import express from 'express';
import { ClientError, createClient } from '#dist/index.js';

const { url } = place({
  'contract.yaml': `
openapi: 3.1.1
info: { title: Museum, version: 2.1.0 }
servers: [{ url: /museum }]
security: [{ visitor: [] }]
paths:
  /tickets/{id}:
    get:
      operationId: getTicket
      parameters:
        - { name: id, in: path, required: true, schema: { type: string } }
        - { name: filter, in: query, style: deepObject, schema: { type: object, properties: { day: { type: string } } } }
      responses:
        "200": { description: OK, content: { image/png: {} } }
        "404": { description: Lost, content: { application/problem+json: { schema: { $ref: "#/components/schemas/Problem" } } } }
        "410": { description: Gone, content: { application/xml: { schema: { type: string } } } }
        5XX: { description: Broken, content: { text/plain: {} } }
  /log:
    servers: [{ url: /internal }]
    get:
      operationId: getLog
      responses:
        "200": { description: OK, content: { application/jsonl: { schema: { type: array, items: { $ref: "#/components/schemas/Line" } } } } }
        "202": { description: Later, content: { text/plain: {} } }
  /hours:
    get: { operationId: getHours, responses: { "200": { description: OK, content: { application/json: { schema: { type: array, items: { type: string } } } } } } }
components:
  securitySchemes: { visitor: { type: apiKey, in: query, name: key }, office: { type: http, scheme: basic } }
  schemas:
    Problem: { type: object, required: [title], properties: { title: { type: string } } }
    Line: { type: object, required: [at], properties: { at: { type: integer } } }
`,
});
const png = new Uint8Array([137, 80, 78, 71]);

const ticket = (id: string) => {
  if (id === 'lost') return { status: 404, body: { title: 'No ticket.' } };
  if (id === 'old') return { status: 410, body: '<gone/>' };
  return id === 'broken' ? { status: 500, body: 'Later.' } : { status: 200, body: png };
};
const handlers = {
  getTicket: ({ path, query }: { readonly path: { id: string }; readonly query: { filter?: { day?: string } } }) =>
    Promise.resolve(ticket(query.filter?.day ?? path.id)),
  getLog: () => Promise.resolve({ status: 200, body: [{ at: 1 }, { at: 9223372036854775807n }] }),
  getHours: () => Promise.resolve({ status: 200, body: ['10:00'] }),
};

describe('createClient', function () {
  // It loads the TypeScript compiler.
  this.timeout(60_000);
  let server: Server;
  let baseUrl: string;
  let contract: AnyContract;
  let types: string;
  before(async () => {
    const generated = await generateTypes(url);
    types = generatedFiles('contract.ts', '', generated).get('contract.ts') ?? '';
    const module = generatedFiles('contract.d.ts', '', generated).get('contract.js') ?? '';
    const imported: unknown = await import(`data:text/javascript,${encodeURIComponent(module)}`);
    ({ contract } = imported as { contract: AnyContract });
    const visitor = (key: string) => Promise.resolve(key === 'k' ? { id: 'ada' } : undefined);
    const options = { contract: url, handlers: handlers as object, security: { visitor } };
    server = express()
      .use(await createRouter<ContractTypes>()(options))
      .listen(0, '127.0.0.1');
    await once(server, 'listening');
    baseUrl = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/museum`;
  });
  after(() => server.close().closeAllConnections());

  const create = () => createClient<AnyContract>({ baseUrl, contract, credentials: { visitor: 'k' }, maxAttempts: 1 });
  const call = (client = create()) =>
    client.request as unknown as (...args: readonly unknown[]) => Promise<{ data: unknown }>;

  it('sends credentials and parameters as the contract says, and reads a file as a Blob', async () => {
    const { data } = await call()('get', '/tickets/{id}', { params: { path: { id: '1' } } });
    expect(data).to.be.instanceOf(Blob).and.have.property('type', 'image/png');
    expect(new Uint8Array(await (data as Blob).arrayBuffer())).to.deep.equal(png);
    const params = { path: { id: '1' }, query: { filter: { day: 'lost' } } };
    expect(await errorOf(call()('get', '/tickets/{id}', { params }))).to.include({ status: 404 });
  });

  it('reads JSON lines as an array, from the path prefix of their operation', async () => {
    expect((await call()('get', '/log')).data).to.deep.equal([{ at: 1 }, { at: 9223372036854775807n }]);
    expect((await call()('get', '/hours')).data).to.deep.equal(['10:00']);
  });

  it('throws errors with the body that the contract declares for their status, which isError recognizes', async () => {
    const client = create();
    for (const [id, status, body] of [
      ['lost', 404, { title: 'No ticket.' }],
      ['old', 410, '<gone/>'],
      ['broken', 500, 'Later.'],
    ] as const) {
      const error = await errorOf(call(client)('get', '/tickets/{id}', { params: { path: { id } } }));
      expect(error).to.be.instanceOf(ClientError).and.deep.include({ code: 'http_error', status });
      expect(error).to.have.deep.property('body', body);
      expect(client.isError(error, 'get', '/tickets/{id}')).to.equal(true);
      expect(client.isError(error, 'get', '/hours')).to.equal(false);
      expect(create().isError(error, 'get', '/tickets/{id}')).to.equal(false);
    }
    const fetch = () => Promise.reject(new Error('No network.'));
    const offline = createClient<AnyContract>({ baseUrl, contract, maxAttempts: 1, fetch });
    const error = await errorOf(call(offline)('get', '/hours'));
    expect(offline.isError(error, 'get', '/hours')).to.equal(false);
  });

  it('refuses a response in a media type that the contract does not declare', async () => {
    const fetch = () => Promise.resolve(new Response('<html>', { headers: { 'Content-Type': 'text/html' } }));
    const client = createClient<AnyContract>({ baseUrl, contract, fetch });
    for (const path of ['/hours', '/log'])
      expect(await errorOf(call(client)('get', path))).to.include({ code: 'unexpected_response', status: 200 });
  });

  it('refuses numbers that no call could use', () => {
    for (const [options, message] of [
      [{ timeoutSeconds: NaN }, 'timeoutSeconds must be above 0.'],
      [{ timeoutSeconds: 0 }, 'timeoutSeconds must be above 0.'],
      [{ maxWaitSeconds: NaN }, 'maxWaitSeconds must be at least 0.'],
      [{ maxWaitSeconds: -1 }, 'maxWaitSeconds must be at least 0.'],
    ] as const)
      expect(() => createClient<AnyContract>({ baseUrl, contract, ...options })).to.throw(TypeError, message);
    createClient<AnyContract>({ baseUrl, contract, timeoutSeconds: Infinity, maxWaitSeconds: 0 });
  });

  it('sends a date in a form as in a parameter', async () => {
    const texts: string[] = [];
    const fetch = async (request: Request) => {
      texts.push(await request.text());
      return new Response('{}');
    };
    const client = createClient<AnyContract>({ baseUrl, contract, fetch });
    for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data']) {
      const body = { from: new Date(0), on: [new Date(0)] };
      await call(client)('post', '/tickets', { headers: { 'Content-Type': type }, body });
    }
    expect(texts[0]).to.equal('from=1970-01-01T00%3A00%3A00.000Z&on=1970-01-01T00%3A00%3A00.000Z');
    expect(texts[1]?.match(/^1970-01-01T00:00:00\.000Z\r$/gm)).to.have.length(2);
  });

  it('refuses a base URL without the path prefix of the contract', () => {
    const message = 'baseUrl must be a URL that ends with /museum, such as https://api.example.com/museum.';
    expect(() => createClient<AnyContract>({ baseUrl: 'https://museum.example', contract })).to.throw(message);
  });

  it('has the types of the contract, and requires its values where a request depends on them', () => {
    const code = `
      import { createClient } from '@contract-server/client';
      import { type Contract, contract } from './client-contract.js';
      const baseUrl = 'https://museum.example/museum';
      const client = createClient<Contract>({ baseUrl, contract, credentials: { visitor: 'k' } });
      createClient<Contract>({ baseUrl, contract, credentials: { office: { username: 'a', password: 'b' } } });
      // @ts-expect-error -- Basic credentials are a name and a password.
      createClient<Contract>({ baseUrl, contract, credentials: { office: 'a' } });
      // @ts-expect-error -- There is no such scheme.
      createClient<Contract>({ baseUrl, contract, credentials: { apiKey: 'k' } });
      // @ts-expect-error -- A parameter has another style than that of its place.
      createClient<Contract>({ baseUrl });
      interface Plain extends Omit<Contract, 'prefixes' | 'styles' | 'mediaTypes'> {
        readonly prefixes: {}; readonly styles: {}; readonly mediaTypes: {};
      }
      createClient<Plain>({ baseUrl });
      // @ts-expect-error -- Credentials are sent as the contract says.
      createClient<Plain>({ baseUrl, credentials: { visitor: 'k' } });
      export async function read(): Promise<readonly [Blob, string | readonly { readonly at: number }[], readonly string[]]> {
        const ticket = await client.request('get', '/tickets/{id}', { params: { path: { id: '1' } } });
        return [ticket.data, (await client.request('get', '/log')).data, (await client.request('get', '/hours')).data];
      }
      export function titleOf(error: unknown): string {
        if (!client.isError(error, 'get', '/tickets/{id}')) throw error;
        if (error.status === 404) return error.body.title;
        if (error.status === 410 || error.status === 503) return error.body;
        // @ts-expect-error -- The contract does not declare the body of any other status.
        return error.body;
      }`;
    const files = new Map([
      [`${folder}types/client-contract.ts`, types],
      [`${folder}types/client-calls.ts`, code],
    ]);
    expect(compile(files)).to.deep.equal([[], []]);
  });
});
