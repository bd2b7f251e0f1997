import { expect } from 'chai';
import { request } from '../../support/clients/request.js';
import { runMalformedRequests } from '../../support/malformed-requests/malformed-run.js';
import { startService, type TestService } from '../../support/servers/service.js';

/** The same seed creates the same requests: `MALFORMED_REQUESTS_SEED=1234 npm test`. */
const seed = Number(process.env['MALFORMED_REQUESTS_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

describe('malformed requests', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.close());

  it(`receive the response that their family requires, and have no effect (seed ${String(seed)})`, async () => {
    const { distinct, wrong } = await runMalformedRequests(service, 17, seed);
    expect(wrong.slice(0, 5).join('\n\n'), `${String(wrong.length)} of ${String(distinct)}`).to.equal('');
    expect(distinct).to.be.at.least(1000);
    expect(service.reported).to.deep.equal([]);
    expect(
      (await request(service).get('/v1/pets?status=sold').expect(200)).body,
      'pets that a smuggled request has created',
    ).to.deep.equal([]);
  }).timeout(120_000);
});
