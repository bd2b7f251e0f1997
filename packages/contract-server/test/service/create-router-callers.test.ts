import { expect } from 'chai';
import express from 'express';
import { pino } from 'pino';
import supertest from 'supertest';
import { createRouter } from '#src/index.js';
import type { ContractTypes } from '#src/types/types.js';
import { place } from '../support/contract/contract-errors.js';
import { LogLines } from '../support/log-lines.js';
import { ping, withoutPrefix } from './ping-contracts.js';

const contract = `${withoutPrefix}
security: [{ login: [admin] }]
components: { securitySchemes: { login: { type: http, scheme: bearer } } }
`;

/** Sends a request whose security handler does something. */
async function send(identify: () => unknown, bearer = 'Bearer x') {
  const log = new LogLines();
  const { url } = place({ 'contract.yaml': contract });
  const options = { contract: url, handlers: { ping } as object, security: { login: identify as () => undefined } };
  const app = express();
  app.use(await createRouter<ContractTypes>()({ ...options, logger: pino(log) }));
  const { status } = await supertest(app).get('/ping').set('Authorization', bearer);
  return { status, logged: log.lines.map(({ err }) => String((err as Error | undefined)?.message)) };
}

const admin = { id: 'ann', scopes: ['admin'] };
const notACaller =
  'The security handler login must return undefined, or a caller with an id, which is text, and an array of scopes.';

describe('the security handlers of createRouter', () => {
  it('identify a caller also by a promise of another library', async () => {
    expect(await send(() => admin)).to.deep.equal({ status: 200, logged: [] });
    // biome-ignore lint/suspicious/noThenProperty: a promise of another library is such an object.
    const promised = (value: unknown) => ({ then: (resolve: (value: unknown) => void) => resolve(value) });
    expect((await send(() => promised(admin))).status).to.equal(200);
    expect((await send(() => promised(undefined))).status).to.equal(401);
  });

  it('do not let a request pass with anything else than a caller', async () => {
    for (const identified of [undefined, null, Promise.resolve(null)])
      expect(await send(() => identified)).to.deep.equal({ status: 401, logged: [] });
    const scopes = ['admin'];
    const wrong = [true, false, 'missing', [], [admin], {}, { scopes }, { id: 1, scopes }, Promise.resolve([admin])];
    for (const returned of [...wrong, { id: 'ann', scopes: 'superadmin' }, { id: 'ann', quota: {} }])
      expect(await send(() => returned)).to.deep.equal({ status: 500, logged: [notACaller] });
  });

  it('can throw anything, which is a 500 and reported once', async () => {
    for (const thrown of [new Error('x'), undefined, null, 'route', 'router', 0])
      for (const fail of [() => throwIt(thrown), () => Promise.resolve(thrown).then(throwIt)]) {
        const { status, logged } = await send(fail);
        expect([status, logged.length]).to.deep.equal([500, 1]);
      }
  });

  it('are not called without credentials', async () => {
    for (const bearer of ['', 'Bearer', 'Bearer ', 'Basic x', 'Bearers x', 'Bearer\tx'])
      expect((await send(() => admin, bearer)).status).to.equal(401);
  });
});

function throwIt(value: unknown): never {
  throw value;
}
