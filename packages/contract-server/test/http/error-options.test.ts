import type { ContractDocument } from '@contract-server/core/contract/document.js';
import type { ErrorStatuses } from '@contract-server/core/contract/error-codes.js';
import { ApiError, StartError } from '@contract-server/core/lib/errors.js';
import { RawConnection } from '@contract-server/test-support/clients/raw-connection.js';
import { host, json, lengthOf, message } from '@contract-server/test-support/clients/raw-requests.js';
import { changedContract } from '@contract-server/test-support/contract/changed-contract.js';
import {
  document,
  get,
  gone,
  isbnTaken,
  postBook,
  startBooks,
  thrown,
  unique,
} from '@contract-server/test-support/servers/books.js';
import { startMock } from '@contract-server/test-support/servers/composed.js';
import { expect } from 'chai';
import type { ErrorResponseOptions } from '#src/http/errors/error-responses.js';

/** The errors of RealWorld's backends. */
const realWorld: ErrorResponseOptions = {
  status: { invalid_request: 422 },
  body: ({ message, violations }) => ({
    errors: { body: violations.length > 0 ? violations.map((each) => each.message) : [message] },
  }),
};

describe('errors.status', () => {
  it('sets the status of errors of the library, in services and mocks', async () => {
    const service = await startBooks(realWorld);
    const invalid = { errors: { body: ['`title` must have at least 1 character.'] } };
    await postBook(service, '{"title":""}').expect(422, invalid).expect('Content-Type', 'application/json');
    await get(service, '/v1/books/0').expect(422, { errors: { body: ['The ISBN is taken.'] } });
    const unknown = 'No route matches GET /v1/authors. See /docs for the available paths.';
    await get(service, '/v1/authors').expect(404, { errors: { body: [unknown] } });
    const mock = await startMock({ document, errors: realWorld });
    await postBook(mock, '{"title":""}').expect(422, invalid);
  });

  it('is in the API reference, also for the code of a security scheme that is not listed otherwise', async () => {
    const service = await startBooks({ status: { invalid_request: 422, insufficient_scope: 404 } });
    const response = await get(service, '/docs/openapi.json').expect(200);
    const shown = response.body as ContractDocument;
    expect(shown['x-error-codes']).to.deep.include({
      invalid_request: { status: 422 },
      insufficient_scope: { status: 404 },
      route_not_found: { status: 404 },
    });
    expect(shown['x-error-codes']).not.to.have.any.keys('missing_credentials');
    const { description } = shown.tags?.find(({ name }) => name === 'Error codes') ?? {};
    expect(description).to.match(/^\| `invalid_request` \| 422 \|/m);
  });

  it('does not change what else the code means: a body that is too large closes the connection', async () => {
    const service = await startBooks({ status: { body_too_large: 400 } });
    const body = `[${'1,'.repeat(1000)}1]`;
    const head = message(['POST /v1/books HTTP/1.1', host, json, lengthOf(body)]);
    const connection = await RawConnection.open(service, head + body);
    const { status, headers, text } = await connection.readResponse();
    expect([status, headers['connection'], JSON.parse(text)]).to.deep.equal([
      400,
      'close',
      { code: 'body_too_large', message: 'The body has more than 1000 values. Shorten it.', status: 400 },
    ]);
  });

  for (const [status, codes, sentence] of [
    [
      { invalid_request: 422 },
      { invalid_request: { status: 400 } },
      'errors.status sets invalid_request to 422, but x-error-codes sets it to 400; remove one of them.',
    ],
    [
      { book_lost: 410 },
      {},
      'errors.status sets book_lost to 410, but the library has no such error; set its status in x-error-codes.',
    ],
    [
      { invalid_requst: 422 },
      {},
      'errors.status sets invalid_requst to 422, but the library has no such error; set its status in x-error-codes. ' +
        'Did you mean `invalid_request`?',
    ],
  ] as const)
    it(`prevents the start: ${sentence}`, async () => {
      const contract = changedContract(['x-error-codes'], codes, document);
      const started = startBooks({ status: status as ErrorStatuses }, contract);
      const error: unknown = await started.catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(StartError).with.property('message', sentence);
    });

  it('may repeat the status of the contract', async () => {
    const contract = changedContract(['x-error-codes'], { invalid_request: { status: 422 } }, document);
    await postBook(await startBooks({ status: { invalid_request: 422 } }, contract), '{}').expect(422);
  });
});

describe('errors.map', () => {
  it('turns errors of other libraries into errors of the API, with violations, and leaves the others', async () => {
    const seen: unknown[] = [];
    const map = (error: unknown) => {
      seen.push(error);
      return error === unique
        ? new ApiError('invalid_request', isbnTaken.message, { violations: [isbnTaken], cause: error })
        : undefined;
    };
    const service = await startBooks({ ...realWorld, map });
    await get(service, '/v1/books/0').expect(422);
    expect(seen).to.deep.equal([]);
    await get(service, '/v1/books/1').expect(422, { errors: { body: ['The ISBN is taken.'] } });
    await get(service, '/v1/books/2').expect(410, { errors: { body: ['Out of print.'] } });
    expect(service.reported).to.deep.equal([]);
    await get(service, '/v1/books/3').expect(500);
    expect(service.reported).to.deep.equal([thrown[3]]);
    expect(seen).to.deep.equal(thrown.slice(1));
  });

  it('is called for errors of Express middleware and routes, before those of http-errors are described', async () => {
    const routes = [
      () => {
        throw gone;
      },
    ];
    const map = () => new ApiError('route_not_found', 'The book is lost.');
    const service = await startBooks({ map }, document, routes);
    await get(service, '/lost').expect(404, { code: 'route_not_found', message: 'The book is lost.', status: 404 });
  });

  it('that throws is reported once, with the error that it received, and the response is a 500', async () => {
    const defect = new Error('defect');
    const map = () => {
      throw defect;
    };
    const service = await startBooks({ map });
    expect((await get(service, '/v1/books/2').expect(500)).body).to.include({ code: 'internal_error' });
    expect(service.reported).to.have.lengthOf(1);
    expect(service.reported[0]).to.be.instanceOf(AggregateError).with.deep.property('errors', [defect, gone]);
  });
});
