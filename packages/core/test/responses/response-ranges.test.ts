import { place } from '@contract-server/test-support/contract/contract-errors.js';
import { echoApp, echoContract } from '@contract-server/test-support/contract/echo-app.js';
import { LogLines } from '@contract-server/test-support/log-lines.js';
import { createResponseCheck } from '@contract-server/testing/create-response-check.js';
import { expect } from 'chai';
import type { Handler, Handlers, OperationResponse } from 'contract-server/index.js';
import { pino } from 'pino';
import supertest from 'supertest';

const pet = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } };
const contentOf = (...types: string[]) => ({
  content: Object.fromEntries(types.map((type) => [type, { schema: pet }])),
});
const response = (...types: string[]) => ({ description: 'A pet', ...(types.length > 0 && contentOf(...types)) });
const contractWith = (responses: object | undefined) =>
  echoContract([], '/x', { paths: { '/pets': { get: { operationId: 'echo', ...(responses && { responses }) } } } });

/** What the handler returns, and the status, the media type and the body that the client receives. */
type Case = readonly [returned: object, sent: readonly [status: number, mediaType: string | undefined, text: string]];
const json = 'application/json';
const rex = { name: 'Rex', id: 7 };
const text = '{"name":"Rex"}';
const failed = [500, json, /internal_error/.source] as const;

const table: Readonly<Record<string, readonly [responses: object | undefined, ...cases: Case[]]>> = {
  'a range of statuses': [
    { '2XX': response(json), 204: response() },
    [{ status: 200, body: rex }, [200, json, text]],
    [{ status: 299, body: rex }, [299, json, text]],
    [{ status: 204 }, [204, undefined, '']],
    [{ status: 302, body: rex }, failed],
    [{ status: 200, body: { id: 7 } }, failed],
  ],
  'default alone': [
    { default: response(json) },
    [{ status: 200, body: rex }, [200, json, text]],
    [{ status: 418, body: rex }, [418, json, text]],
  ],
  'no responses at all': [
    undefined,
    [{ status: 200, body: rex }, [200, json, '{"name":"Rex","id":7}']],
    [{ status: 200, body: 'a', mediaType: 'text/plain' }, [200, 'text/plain; charset=utf-8', 'a']],
  ],
  'every media type': [
    { 200: response('*/*') },
    [{ status: 200, body: rex }, [200, json, text]],
    [{ status: 200, body: rex, mediaType: 'application/pet+json' }, [200, 'application/pet+json', text]],
    [{ status: 200, body: 'a,b', mediaType: 'text/csv' }, [200, 'text/csv; charset=utf-8', 'a,b']],
  ],
  'ranges of media types': [
    { 200: response('text/*', 'application/*+json') },
    [{ status: 200, body: 'a', mediaType: 'text/csv' }, [200, 'text/csv; charset=utf-8', 'a']],
    [{ status: 200, body: rex, mediaType: 'application/pet+json' }, [200, 'application/pet+json', text]],
    [{ status: 200, body: 'a', mediaType: 'image/png' }, failed],
  ],
  'text/json': [{ 200: response('text/json') }, [{ status: 200, body: rex }, [200, 'text/json', text]]],
};

describe('responses of a contract that declares', () => {
  for (const [title, [responses, ...cases]] of Object.entries(table))
    it(`${title}: what a handler may return, and the testing kit accepts`, async () => {
      const contract = contractWith(responses);
      const check = await createResponseCheck({
        contract: place({ 'contract.yaml': contract }).url,
        coverageDirectory: false,
      });
      for (const [returned, [status, mediaType, expected]] of cases) {
        const handlers = { echo: () => Promise.resolve(returned) } as object;
        const app = await echoApp(contract, { handlers, validateResponses: true, logger: pino(new LogLines()) });
        const received = await supertest(app)
          .get('/pets')
          .buffer()
          .parse((stream, done) => {
            const chunks: Buffer[] = [];
            stream
              .on('data', (chunk: Buffer) => chunks.push(chunk))
              .on('end', () => done(null, Buffer.concat(chunks).toString()));
          });
        const body = received.body as string;
        expect([received.status, received.headers['content-type']], JSON.stringify(returned)).to.deep.equal([
          status,
          mediaType,
        ]);
        if (status === 500) expect(body).to.contain('internal_error');
        else {
          expect(body).to.equal(expected);
          check('GET', '/pets', { status, headers: received.headers, text: body });
        }
      }
    });

  it('a range of statuses: no other status in the testing kit', async () => {
    const { url } = place({ 'contract.yaml': contractWith({ '2XX': response(json) }) });
    const check = await createResponseCheck({ contract: url, coverageDirectory: false });
    expect(() => check('GET', '/pets', { status: 302, headers: {}, text: '' })).to.throw(
      'echo does not declare the status 302, but 2XX',
    );
  });
});

/** As `generate` writes it. */
interface Contract {
  readonly operations: {
    readonly range: { readonly responses: { '2XX': Json<{ a: 1 }>; 204: { content?: never }; '4XX': Json<{ b: 1 }> } };
    readonly any: { readonly responses: { default: Json<{ a: 1 }> } };
    readonly reserved: { readonly responses: { 501: Json<{ a: 1 }>; default: Json<{ a: 1 }> } };
    readonly media: {
      readonly responses: { 200: { content: { '*/*': { a: 1 } } }; 201: { content: { 'text/*': string } } };
    };
  };
  readonly schemas: object;
  readonly defaults: Readonly<Record<'range' | 'any' | 'reserved' | 'media', object>>;
  readonly security: object;
  readonly errorStatuses: object;
  readonly planName: string;
  readonly environmentName: string;
}
interface Json<Body> {
  content: { 'application/json': Body };
}

describe('the types of responses', () => {
  it('allow the statuses of a range, those of default alone, and media types of a range', () => {
    const body = { a: 1 } as const;
    const valid = [
      { status: 200, body },
      { status: 299, body },
      { status: 204 },
      { status: 418, body: { b: 1 } },
    ] as const satisfies readonly OperationResponse<Contract, 'range'>[];
    const any = [
      { status: 200, body },
      { status: 503, body },
    ] as const satisfies readonly OperationResponse<Contract, 'any'>[];
    const media = [
      { status: 200, body },
      { status: 200, body: 'a', mediaType: 'text/csv' },
      { status: 201, body: 'a', mediaType: 'text/csv' },
    ] as const satisfies readonly OperationResponse<Contract, 'media'>[];
    // @ts-expect-error -- a redirect is not in the ranges
    const redirect: OperationResponse<Contract, 'range'> = { status: 302, body };
    // @ts-expect-error -- the status itself takes precedence over its range
    const explicit: OperationResponse<Contract, 'range'> = { status: 204, body };
    // @ts-expect-error -- the media type is not in the range
    const image: OperationResponse<Contract, 'media'> = { status: 201, body: 'a', mediaType: 'image/png' };
    const implemented: keyof Handlers<Contract> = 'any';
    // @ts-expect-error -- it declares no success
    const reserved: keyof Handlers<Contract> = 'reserved';
    const handler: Handler<Contract, 'any'> = () => Promise.resolve({ status: 200, body });
    expect([valid, any, media, redirect, explicit, image, implemented, reserved, handler]).to.have.length(9);
  });
});
