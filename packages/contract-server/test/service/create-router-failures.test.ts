import type { ContractTypes } from '@contract-server/core/types/types.js';
import { place } from '@contract-server/test-support/contract/contract-errors.js';
import { withoutPrefix } from '@contract-server/test-support/contract/ping-contracts.js';
import { LogLines } from '@contract-server/test-support/log-lines.js';
import { expect } from 'chai';
import express from 'express';
import { pino } from 'pino';
import supertest from 'supertest';
import { ApiError, createRouter } from '#src/index.js';

/** Sends a request to a handler, behind middleware that sets headers. */
async function send(handle: () => unknown) {
  const log = new LogLines();
  const { url } = place({ 'contract.yaml': withoutPrefix });
  const ping = () => Promise.resolve().then(handle);
  const app = express();
  app.use(await createRouter<ContractTypes>()({ contract: url, handlers: { ping } as object, logger: pino(log) }));
  const response = await supertest(app).get('/ping').timeout(1000);
  const { status, headers } = response;
  const messages = log.lines.map(({ err }) => (err as Error | undefined)?.message);
  return { status, body: response.body as unknown, headers: headers as object, logged: messages.length, messages };
}

const internalError = {
  code: 'internal_error',
  message: 'The server failed to process the request. Retry later.',
  status: 500,
};
// eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- what handlers may do wrong.
const fail = (error: unknown) => () => Promise.reject(error);
const http = (properties: object) => Object.assign(new Error('Gone.'), { status: 410, expose: true }, properties);

const defects: Readonly<Record<string, () => unknown>> = {
  'returns nothing': () => undefined,
  'returns no status': () => ({ body: {} }),
  'returns a status that is no number': () => ({ status: '200', body: {} }),
  'returns 100, after which a client waits for another response': () => ({ status: 100 }),
  'returns 103': () => ({ status: 103 }),
  'returns a fraction': () => ({ status: 200.5, body: {} }),
  'returns 600': () => ({ status: 600, body: {} }),
  'throws undefined': fail(undefined),
  "throws the text 'route'": fail('route'),
  "throws the text 'router'": fail('router'),
  'throws an ApiError whose header cannot be sent': fail(new ApiError('invalid_cursor', 'x', { headers: { A: '€' } })),
  'throws an error of http-errors whose header cannot be sent': fail(http({ headers: { A: 'b\n' } })),
};

describe('a handler that fails', () => {
  for (const [title, handle] of Object.entries(defects))
    it(`is a 500 and is reported once if it ${title}`, async () => {
      const { status, body, logged } = await send(handle);
      expect({ status, body, logged }).to.deep.equal({ status: 500, body: internalError, logged: 1 });
    });

  it('has its header named in the log if that is neither a string nor an array', async () => {
    for (const value of [null, {}]) {
      const { status, messages } = await send(() => ({ status: 200, headers: { 'X-A': value } }));
      expect([status, ...messages]).to.deep.equal([500, 'The header X-A must be a string or an array of strings.']);
    }
  });

  it('has its error reported if its code has no other status than 500', async () => {
    for (const code of ['unknown', 'constructor', '__proto__']) {
      const { body, logged } = await send(fail(new ApiError(code as never, 'x')));
      expect({ body, logged }).to.deep.equal({ body: { code, message: 'x', status: 500 }, logged: 1 });
    }
  });

  it('leaves no header of a response that cannot be sent', async () => {
    const sent = { 'Set-Cookie': 'session=secret', Location: '/€' };
    const { status, headers } = await send(() => ({ status: 200, body: {}, headers: sent }));
    expect(status).to.equal(500);
    expect(headers).to.include({ 'content-type': 'application/json', 'x-powered-by': 'Express' });
    expect(headers).not.to.have.any.keys('set-cookie', 'location');
  });
});
