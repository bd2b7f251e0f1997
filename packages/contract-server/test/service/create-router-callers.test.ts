import type { ContractTypes } from '@contract-server/core/types/types.js';
import { place } from '@contract-server/test-support/contract/contract-errors.js';
import { ping, withoutPrefix } from '@contract-server/test-support/contract/ping-contracts.js';
import { LogLines } from '@contract-server/test-support/log-lines.js';
import { expect } from 'chai';
import express from 'express';
import { pino } from 'pino';
import supertest from 'supertest';
import { createRouter } from '#src/index.js';

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
const notACaller = 'The security handler login must return undefined or a caller.';
const noNumber = 'must be an integer from 1 to 999999999999999, not';

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
    for (const [returned, problem] of [
      [true, '`caller` must be an object.'],
      ['missing', '`caller` must be an object.'],
      [[admin], '`caller` must be an object.'],
      [Promise.resolve([admin]), '`caller` must be an object.'],
      [{ scopes }, 'The security handler login needs `caller.id`.'],
      [{ id: 1, scopes }, '`caller.id` must be a string, not 1.'],
      [{ id: 'ann', scopes: 'superadmin' }, "`caller.scopes` must be an array, not 'superadmin'."],
      [{ id: 'ann', scopes: ['admin', 1] }, '`caller.scopes[1]` must be a string, not 1.'],
    ] as const)
      expect(await send(() => returned)).to.deep.equal({ status: 500, logged: [`${notACaller} ${problem}`] });
  });

  it('do not let a request pass with a quota that cannot be counted', async () => {
    const withLimits = (limits: unknown) => ({ id: 'a', limits });
    const wrong: readonly (readonly [quota: unknown, problem: string])[] = [
      [null, '`caller.quota` must be an object, not null.'],
      [withLimits(null), '`caller.quota.limits` must be an object or undefined, not null.'],
      [{ id: 'a', limit: {} }, 'The security handler login needs `caller.quota.limits`.'],
      [{ id: 1, limits: undefined }, '`caller.quota.id` must be a string, not 1.'],
      [
        withLimits({ requestsPerMinute: '60' }),
        `\`caller.quota.limits.requestsPerMinute\` ${noNumber} '60'. ` +
          'The security handler login needs `caller.quota.limits.requestsPerDay`.',
      ],
      ...[Number.NaN, Infinity, 1.5, -1, 0, 1e15].map(
        (requestsPerDay) =>
          [
            withLimits({ requestsPerMinute: 1, requestsPerDay }),
            `\`caller.quota.limits.requestsPerDay\` ${noNumber} ${String(requestsPerDay)}.`,
          ] as const,
      ),
    ];
    for (const [quota, problem] of wrong)
      expect(await send(() => ({ ...admin, quota }))).to.deep.equal({
        status: 500,
        logged: [`${notACaller} ${problem}`],
      });
    for (const limits of [undefined, { requestsPerMinute: 1, requestsPerDay: 999_999_999_999_999 }])
      expect((await send(() => ({ ...admin, quota: withLimits(limits) }))).status).to.equal(200);
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
