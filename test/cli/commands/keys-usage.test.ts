import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { petstore, petstoreJson } from '../../support/cli/command-line.js';
import { request } from '../../support/clients/request.js';
import { rule } from '../../support/rate-limits/quota.js';
import { useNewService } from '../../support/servers/service.js';

interface Usage {
  readonly id: string;
  readonly usedThisMinute: number;
  readonly usedThisDay: number;
  readonly bannedUntil: string | null;
}

describe('petstore keys usage and unban, while the service runs', () => {
  const service = useNewService();

  const createKey = () => {
    const limits = { requestsPerMinute: 1, requestsPerDay: 1000 };
    return service.apiKeyService.create({ name: 'bot', plan: 'enterprise', limits, expiresAt: undefined });
  };
  const usageOf = async (id: string) => {
    await service.quotas.maintain();
    return (await petstoreJson<Usage[]>(['keys', 'usage', id], service))[0];
  };
  const sendRequests = async (token: string, count: number) => {
    for (let sent = 0; sent < count; sent += 1) await request(service, token).get('/v1/pets');
  };

  it('shows both windows and the ban, without expired ones', async () => {
    const { key, token } = await createKey();
    const nothing = { usedThisMinute: 0, usedThisDay: 0, bannedUntil: null };
    expect(await usageOf(key.id)).to.deep.include(nothing);
    await sendRequests(token, rule.rejectedRequestsFactor + 1);
    expect(await usageOf(key.id)).to.deep.include({ usedThisMinute: 1, usedThisDay: 1, bannedUntil: null });
    await sendRequests(token, 1);
    const bannedUntil = new Date(service.clock.now + rule.seconds * 1000).toISOString();
    expect(await usageOf(key.id)).to.deep.include({ usedThisMinute: 1, usedThisDay: 1, bannedUntil });
    service.clock.now += rule.seconds * 1000;
    expect(await usageOf(key.id)).to.deep.include({ usedThisMinute: 0, usedThisDay: 1, bannedUntil: null });
  });

  it('prints a table with a row for every key', async () => {
    const { key, token } = await createKey();
    await request(service, token).get('/v1/pets').expect(200);
    await service.quotas.maintain();
    const { stdout } = await petstore(['keys', 'usage'], service);
    const [heading = '', , row = ''] = stdout.split('\n');
    const headings = ['ID', 'NAME', 'PLAN', 'THIS MINUTE', 'THIS DAY', 'BANNED UNTIL'];
    expect(heading.split(/ {2,}/)).to.deep.equal(headings);
    expect(row.split(/ {2,}/)).to.deep.equal([key.id, 'bot', 'enterprise', '1 / 1', '1 / 1,000', '-']);
  });

  it('ends a ban and resets the minute, which a running service applies within 5 seconds', async () => {
    const { key, token } = await createKey();
    await sendRequests(token, rule.rejectedRequestsFactor + 2);
    expect(await usageOf(key.id))
      .to.have.property('bannedUntil')
      .that.is.a('string');
    expect(await petstoreJson(['keys', 'unban', key.id], service)).to.deep.equal({ id: key.id, bannedUntil: null });
    const { stdout, exitCode } = await petstore(['keys', 'unban', key.id], service);
    expect(exitCode).to.equal(0);
    expect(stdout).to.equal(`The key ${key.id} is no longer banned. A running server applies this within 5 seconds.\n`);
    const deadline = Date.now() + 5000;
    while ((await request(service, token).get('/v1/pets')).status === 429 && Date.now() < deadline) await delay(50);
    expect(Date.now(), 'applied in time').to.be.lessThan(deadline);
  });

  it('reports that the key does not exist', async () => {
    for (const command of ['usage', 'unban']) {
      const { exitCode, stderr } = await petstore(['keys', command, 'key_none'], service);
      expect(exitCode).to.equal(1);
      expect(stderr).to.match(/no key has the id key_none/);
    }
  });
});
