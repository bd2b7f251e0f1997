import type { ContractDocument } from '@contract-server/core/contract/document.js';
import type { ContractTypes } from '@contract-server/core/types/types.js';
import { place } from '@contract-server/test-support/contract/contract-errors.js';
import { LogLines } from '@contract-server/test-support/log-lines.js';
import { startComposed } from '@contract-server/test-support/servers/composed.js';
import { startMockOf } from '@contract-server/test-support/servers/mocked.js';
import { createRequest } from '@contract-server/testing/create-request.js';
import { expect } from 'chai';
import express from 'express';
import { pino } from 'pino';
import { parse } from 'yaml';
import type { ErrorContent, ErrorResponseOptions } from '#src/http/errors/error-responses.js';
import { ApiError, createRouter } from '#src/index.js';

const contract = `
openapi: 3.0.4
info: { title: Books, version: 1.0.0 }
x-error-codes: { book_gone: { status: 410 }, book_lost: { status: 404 }, broken: { status: 500 } }
paths:
  /books/{id}:
    get:
      operationId: getBook
      x-rate-limit: { requests: 2, seconds: 60 }
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses:
        "200": { description: OK, content: { application/json: {} } }
        "400": { description: Invalid }
        "404": { description: Lost, content: {} }
        "429": { description: Too many, headers: { Retry-After: { schema: { type: integer } } } }
        "500": { description: Defect }
        default: { description: Other, content: { application/json: {} } }
  /ranges: { get: { operationId: ranges, responses: { "200": { description: OK }, 4XX: { description: No }, "410": { description: Gone, content: { application/json: {} } }, default: { description: Other, content: { application/json: {} } } } } }
  /plain: { get: { operationId: plain, responses: { "200": { description: OK }, default: { description: Other } } } }
  /silent: { get: { operationId: silent, responses: { "200": { description: OK } } } }
`;
const { url } = place({ 'contract.yaml': contract });
const gone = new ApiError('book_gone' as never, 'Gone.');
const lost = new ApiError('book_lost' as never, 'Lost.');
const conflict = Object.assign(new Error('Taken.'), { statusCode: 409, expose: true });

/** Serves the contract with a handler that throws, in a router whose responses are checked against the contract. */
async function serve(thrown: Error, errors?: ErrorResponseOptions, mount = '/') {
  const log = new LogLines();
  const fail = () => Promise.reject(thrown);
  const handlers = { getBook: fail, ranges: fail, plain: fail, silent: fail } as object;
  const options = { contract: url, handlers, logger: pino(log), validateResponses: true, ...(errors && { errors }) };
  const app = express().use(mount, await createRouter<ContractTypes>()(options));
  const request = await createRequest({ contract: url, server: app, basePath: mount === '/' ? '' : mount });
  return { request, log };
}

describe('an error that the operation declares', () => {
  for (const [title, thrown, target, status, code] of [
    ['without content has no body', lost, '/books/1', 404, undefined],
    ['without content has no body: an error of the library', lost, '/books/x', 400, undefined],
    ['without content has no body: a defect', new Error('defect'), '/books/1', 500, undefined],
    ['by default with content has a body', gone, '/books/1', 410, 'book_gone'],
    ['by a range without content has no body', lost, '/ranges', 404, undefined],
    ['with content beside a range without has a body', gone, '/ranges', 410, 'book_gone'],
    ['by default with content beside another range has a body', new Error('defect'), '/ranges', 500, 'internal_error'],
    ['by default without content has no body', lost, '/plain', 404, undefined],
    ['without content has no body: an error of http-errors', conflict, '/plain', 409, undefined],
    ['nowhere: an unknown route has a body', lost, '/unknown/route', 404, 'Cannot GET'],
  ] as const)
    it(title, async () => {
      const { request } = await serve(thrown);
      const response = await request.get(target).expect(status);
      const expected = code === undefined ? ['0', undefined] : [String(response.text.length), response.type];
      expect([response.headers['content-length'], response.headers['content-type']?.split(';')[0]]).to.deep.equal(
        expected,
      );
      expect(response.text).to.contain(code ?? '');
    });

  it('without content keeps its headers', async () => {
    const { request } = await serve(lost);
    await request.get('/books/1').expect(404);
    await request.get('/books/1').expect(404);
    const { headers, text } = await request.get('/books/1').expect(429);
    expect([text, Number(headers['retry-after']) > 0]).to.deep.equal(['', true]);
  });

  it('without content is the same in a mock with the option errors', async () => {
    const document = parse(contract) as ContractDocument;
    const { send } = await startMockOf(document, { body: ({ status }) => ({ status }) });
    const { status, text, type } = await send('/books/x');
    expect([status, text, type]).to.deep.equal([400, '', null]);
  });

  it('without content is the same if middleware of a service throws it', async () => {
    const middleware = [() => Promise.reject(Object.assign(new Error('No.'), { status: 404, expose: true }))];
    const document = parse(contract) as ContractDocument;
    const handlers = Object.fromEntries(['getBook', 'ranges', 'plain', 'silent'].map((id) => [id, middleware[0]]));
    const { server } = await startComposed({ document, handlers, security: {}, middleware });
    const { port } = server.address() as { readonly port: number };
    const read = async (path: string) => (await fetch(`http://127.0.0.1:${String(port)}${path}`)).text();
    expect([await read('/books/1'), await read('/silent')]).to.deep.equal([
      '',
      '{"code":"not_found","message":"No.","status":404}',
    ]);
  });

  it('nowhere is a 500 under validateResponses, if it is an error of http-errors', async () => {
    const { request, log } = await serve(conflict);
    const violation = await request.get('/silent').then(
      () => '',
      (error: unknown) => String(error),
    );
    expect(violation).to.contain('silent does not declare the status 500');
    expect(JSON.stringify(log.lines)).to.contain(
      'The response 409 of silent does not conform to the contract: the status is not declared.',
    );
  });
});

describe('errors.body', () => {
  it('receives the request id and the path that the client requested', async () => {
    const received: ErrorContent[] = [];
    const body = (error: ErrorContent) => {
      received.push(error);
      return { code: error.code, instance: error.path };
    };
    const { request } = await serve(gone, { body }, '/library');
    const expected = { code: 'book_gone', instance: '/library/books/1' };
    const { headers } = await request.get('/library/books/1?').expect(410, expected);
    expect(received).to.deep.equal([
      {
        ...{ code: 'book_gone', message: 'Gone.', status: 410, violations: [] },
        ...{ requestId: headers['x-request-id'], path: '/library/books/1' },
      },
    ]);
  });

  it('is not called for a status that is declared without content', async () => {
    const { request } = await serve(lost, { body: () => expect.fail() });
    await request.get('/books/1').expect(404, '');
  });

  it('may return undefined, and no body is sent', async () => {
    const { request } = await serve(lost, { body: () => undefined });
    const { headers } = await request.get('/plain').expect(404, '');
    expect(headers).to.include({ 'content-length': '0' }).and.not.to.have.property('content-type');
  });
});
