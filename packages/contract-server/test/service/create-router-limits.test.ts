import type { ContractTypes } from '@contract-server/core/types/types.js';
import { place } from '@contract-server/test-support/contract/contract-errors.js';
import { limited, ping } from '@contract-server/test-support/contract/ping-contracts.js';
import express from 'express';
import supertest from 'supertest';
import { createRouter } from '#src/index.js';

describe('createRouter, for a contract with plans', () => {
  it('limits callers with a quota by their plan, and client addresses, as the contract declares', async () => {
    const { url } = place({ 'contract.yaml': limited });
    const quota = { id: 'quota', limits: { requestsPerMinute: 2, requestsPerDay: 10 } };
    const security = { key: (key: string) => (key === 'known' ? { id: 'app', quota } : undefined) };
    const app = express();
    app.use(await createRouter<ContractTypes>()({ contract: url, handlers: { ping } as object, security }));
    const send = (key: string) => supertest(app).get('/v1/ping').set('X-Key', key);
    await send('known').expect(200).expect('X-RateLimit-Limit', '2').expect('X-RateLimit-Remaining', '1');
    await send('known').expect(200);
    await send('known').expect(429).expect('Retry-After', /^\d+$/);
    await send('wrong').expect(401).expect('X-RateLimit-Limit', '1');
    await send('wrong').expect(429);
    await supertest(app).get('/v1/nothing').expect(429);
  });
});
