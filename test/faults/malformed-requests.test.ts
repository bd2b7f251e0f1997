import { expect } from 'chai';
import { request } from '../support/clients/request.js';
import { runMalformedRequests } from '../support/malformed-requests/malformed-run.js';
import { startService, type TestService } from '../support/servers/service.js';

/** The same seed creates the same requests: `MALFORMED_REQUESTS_SEED=1234 npm run test:faults`. */
const seed = Number(process.env['MALFORMED_REQUESTS_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

describe('50,000 malformed requests', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.close());

  it(`receive the response that their family requires, and have no effect (seed ${String(seed)})`, async () => {
    const startedAt = Date.now();
    const { distinct, wrong } = await runMalformedRequests(service, 900, seed);
    console.log(
      `${String(distinct)} requests in ${String(Date.now() - startedAt)} ms, ${String(wrong.length)} received a ` +
        'wrong response.',
    );
    expect(wrong.slice(0, 5).join('\n\n')).to.equal('');
    expect(distinct).to.be.at.least(50_000);
    expect(service.reported).to.deep.equal([]);
    await request(service).get('/v1/pets?status=sold').expect(200, []);
  }).timeout(1_800_000);
});
