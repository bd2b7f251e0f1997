import { anyJson, echoApp } from '@contract-server/test-support/contract/echo-app.js';
import { LogLines } from '@contract-server/test-support/log-lines.js';
import { expect } from 'chai';
import type { Express } from 'express';
import { pino } from 'pino';
import supertest from 'supertest';
import { stringify } from 'yaml';
import type { OperationRequest, OperationResponse, UploadedFile } from '#src/index.js';

const pet = { type: 'object', required: ['name'], properties: { name: { type: 'string' }, age: { type: 'integer' } } };
const named = (name: string) => ({ schema: { type: 'object', required: [name], properties: { [name]: {} } } });
const contents: Readonly<Record<string, object>> = {
  any: { '*/*': { schema: pet } },
  application: { 'application/*': { schema: pet } },
  text: { 'text/*': { schema: pet } },
  anyText: { 'text/*': { schema: { type: 'string', maxLength: 3 } } },
  file: { '*/*': { schema: { type: 'string', format: 'binary' } } },
  api: { 'application/vnd.api+json; type=one': named('one'), 'application/vnd.api+json; type=two': named('two') },
  specific: { '*/*': named('any'), 'application/*': named('application'), 'application/a+json': named('a') },
};
const contract = stringify({
  openapi: '3.1.1',
  info: { title: 'Bodies', version: '1.0.0' },
  paths: Object.fromEntries(
    Object.entries(contents).map(([operationId, content]) => [
      `/${operationId}`,
      { post: { operationId, requestBody: { content }, responses: anyJson } },
    ]),
  ),
});

/** What a handler receives: a file is its media type and its content. */
async function echo({ body, mediaType }: { readonly body: unknown; readonly mediaType: string }) {
  const { bytes, mediaType: type } = Object(body) as Partial<UploadedFile>;
  const file = bytes && [type, String(await (body as UploadedFile).bytes())];
  return { status: 200, body: { mediaType, body: file ?? body } };
}

const json = 'application/json';
const form = 'application/x-www-form-urlencoded';
const rex = { name: 'Rex', age: 3 };
const multipart = '--b\r\nContent-Disposition: form-data; name="name"\r\n\r\nRex\r\n--b--\r\n';

/** What is sent, and what the handler receives, or the message of the error. */
type Case = readonly [path: string, type: string, sent: string, received: unknown, mediaType?: string];
const cases: readonly Case[] = [
  ['any', json, '{"name":"Rex","age":3}', rex, '*/*'],
  ['any', 'image/x+json; a=b', '{"name":"Rex","age":3}', rex, '*/*'],
  ['any', json, '{"age":3}', 'Missing body field `name`.'],
  ['any', json, '{', 'The body is not valid JSON: '],
  ['any', form, 'name=Rex&age=3', rex, '*/*'],
  ['any', form, 'age=3', 'Missing body field `name`.'],
  ['any', 'multipart/form-data; boundary=b', multipart, { name: 'Rex' }, '*/*'],
  ['any', 'text/csv; charset=UTF-8', 'a,b', 'a,b', '*/*'],
  ['any', 'text/plain; charset=latin1', 'a', 'Charset `latin1` is not supported.'],
  ['any', 'application/pdf', '%PDF', ['application/pdf', '%PDF'], '*/*'],
  ['any', 'nonsense', 'a', ['nonsense', 'a'], '*/*'],
  ['application', 'application/a+json', '{"name":"Rex","age":3}', rex, 'application/*'],
  ['application', form, 'name=Rex&age=3', rex, 'application/*'],
  ['application', 'application/xml', '<a/>', '<a/>', 'application/*'],
  ['application', 'application/pdf', '%PDF', ['application/pdf', '%PDF'], 'application/*'],
  ['application', 'text/plain', 'a', 'Send the body with this media type: Content-Type: application/*.'],
  ['text', 'text/json', '{"name":"Rex","age":3}', rex, 'text/*'],
  ['text', 'text/json', '[]', 'The body must be a JSON object.'],
  ['text', 'text/csv', 'a,b', 'a,b', 'text/*'],
  ['anyText', 'text/csv', 'a,b,c', 'The body must have at most 3 characters.'],
  ['anyText', json, '"a"', 'Send the body with this media type: Content-Type: text/*.'],
  ['file', json, '{"a":1}', [json, '{"a":1}'], '*/*'],
  ['api', 'application/vnd.api+json; type="one"', '{"one":1}', { one: 1 }, 'application/vnd.api+json; type=one'],
  ['api', 'application/vnd.api+json;Type=two', '{"two":1}', { two: 1 }, 'application/vnd.api+json; type=two'],
  ['api', 'application/vnd.api+json; type=two', '{"one":1}', 'Missing body field `two`.'],
  [
    ...(['api', 'application/vnd.api+json; type=three', '{}'] as const),
    'Send the body as JSON: Content-Type: application/vnd.api+json; type=one, application/vnd.api+json; type=two.',
  ],
  ['specific', 'application/a+json; b=c', '{}', 'Missing body field `a`.'],
  ['specific', 'application/b+json', '{}', 'Missing body field `application`.'],
  ['specific', 'text/json', '{}', 'Missing body field `any`.'],
];

describe('a range of media types, or one with parameters', () => {
  let app: Express;
  before(async () => {
    const handlers = Object.fromEntries(Object.keys(contents).map((id) => [id, echo])) as object;
    app = await echoApp(contract, { handlers });
  });
  for (const [path, type, sent, expected, mediaType] of cases)
    it(`receives ${sent} as ${type} in ${path}: ${JSON.stringify(expected)}`, async () => {
      const request = supertest(app).post(`/${path}`).set('Content-Type', type);
      const response = await request.serialize((given) => given as string).send(sent);
      const body = response.body as { readonly message?: string };
      if (mediaType === undefined) expect(body.message).to.contain(expected);
      else expect(body).to.deep.equal({ mediaType, body: expected });
    });
});

/** Several media types of a response, none of which is JSON. */
const images = { 'image/*': {}, 'text/plain': {} };
const responses = {
  200: { description: 'OK', content: images },
  201: { description: 'OK', content: { 'text/csv': {} } },
};
const getImage = stringify({
  openapi: '3.1.1',
  info: { title: 'Images', version: '1.0.0' },
  paths: { '/image': { get: { operationId: 'getImage', responses } } },
});

describe('the response of a handler', () => {
  for (const [title, response, status, type, logged] of [
    [
      'names one of several media types',
      { status: 200, body: 'a', mediaType: 'image/svg+xml' },
      200,
      'image/svg+xml; charset=utf-8',
    ],
    [
      'names one of several media types: bytes',
      { status: 200, body: Buffer.from('a'), mediaType: 'text/plain' },
      200,
      'text/plain',
    ],
    ['need not name the only one', { status: 201, body: 'a,b' }, 201, 'text/csv; charset=utf-8'],
    [
      'must name one of several',
      { status: 200, body: 'a' },
      500,
      json,
      'it must name its media type, one of image/*, text/plain.',
    ],
    [
      'must be in the range',
      { status: 200, body: 'a', mediaType: 'audio/ogg' },
      500,
      json,
      'the media type audio/ogg is not declared, but image/*, text/plain.',
    ],
  ] as const)
    it(title, async () => {
      const log = new LogLines();
      const handlers = { getImage: () => Promise.resolve(response) } as object;
      const app = await echoApp(getImage, { handlers, validateResponses: true, logger: pino(log) });
      const { headers } = await supertest(app).get('/image').expect(status);
      expect(headers['content-type']).to.equal(type);
      expect(JSON.stringify(log.lines)).to.contain(logged ?? '');
    });
});

/** As `generate` writes it. */
interface Contract {
  readonly operations: {
    readonly send: {
      readonly requestBody?: {
        readonly content: {
          'application/*': { a: 1 };
          'text/*': { b: 1 };
          'Application/JSON; charset=utf-8': { c: 1 };
          'application/jsonl': { d: 1 }[];
        };
      };
      readonly responses: {
        200: { content: { 'application/jsonl': { d: 1 }[] } };
        201: { content: { 'application/x-ndjson': { d: 1 }; 'application/json; charset=utf-8': { c: 1 } } };
        202: { content: { 'image/*': string } };
        203: { content: { 'application/*': { a: 1 } } };
      };
    };
  };
  readonly schemas: object;
  readonly defaults: { readonly send: object };
  readonly security: object;
  readonly errorStatuses: object;
  readonly planName: string;
  readonly environmentName: string;
}
type Sent = OperationResponse<Contract, 'send'>;
type BodyOf<Type> = Extract<OperationRequest<Contract, 'send'>, { readonly mediaType: Type }>['body'];

describe('the types of media types', () => {
  it('have an array or text for lines of JSON, and what a range accepts', () => {
    const sent = [
      { status: 200, body: '{}\n' },
      { status: 200, body: [{ d: 1 }] },
      { status: 201, body: '{}\n', mediaType: 'application/x-ndjson' },
      { status: 201, body: { c: 1 } },
      { status: 202, body: 'a', mediaType: 'image/svg+xml' },
      { status: 203, body: { a: 1 } },
      { status: 203, body: 'a', mediaType: 'application/xml' },
    ] as const satisfies readonly Sent[];
    const received = [
      ...([{ d: 1 }] satisfies BodyOf<'application/jsonl'>),
      { c: 1 } satisfies BodyOf<'Application/JSON; charset=utf-8'>,
      ...(['a', { b: 1 }] satisfies readonly BodyOf<'text/*'>[]),
      ...(['a', { a: 1 }] satisfies readonly BodyOf<'application/*'>[]),
    ] as const;
    // @ts-expect-error -- without a schema of an array, lines of JSON are text
    const lines: Sent = { status: 201, body: [{ d: 1 }], mediaType: 'application/x-ndjson' };
    // @ts-expect-error -- it must name one of several media types
    const unnamed: Sent = { status: 201, body: '{}\n' };
    // @ts-expect-error -- it must name a media type of the range
    const image: Sent = { status: 202, body: 'a' };
    // @ts-expect-error -- it is not in the range
    const other: Sent = { status: 202, body: 'a', mediaType: 'text/plain' };
    expect([sent.length, received.length, lines, unnamed, image, other]).to.have.length(6);
  });
});
