import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { minuteMs } from '#src/rate-limits/decide.js';
import { petstore, petstoreJson } from '../../support/cli/command-line.js';
import { request } from '../../support/clients/request.js';
import { rules } from '../../support/rate-limits/quota.js';
import { startService, type TestService } from '../../support/servers/service.js';

interface Usage {
  readonly id: string;
  readonly usedThisMinute: number;
  readonly usedThisDay: number;
  readonly abusedMinutes: number;
  readonly bans: number;
  readonly bannedUntil: string | null;
}

/** Maximum time until a cleared ban takes effect, in milliseconds. */
const promiseMs = 5000;

describe('petstore keys usage and unban, while the service runs', () => {
  let service: TestService;
  beforeEach(async () => {
    service = await startService();
  });
  afterEach(() => service.close());

  const createKey = () => {
    const limits = { requestsPerMinute: 1, requestsPerDay: 1000 };
    return service.apiKeyService.create({ name: 'bot', plan: 'enterprise', limits, expiresAt: undefined });
  };
  const usageOf = async (id: string) => (await petstoreJson<Usage[]>(['keys', 'usage', id], service))[0];
  const abuse = async (token: string, minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 1) {
      if (minute > 0) service.clock.now += minuteMs;
      for (let sent = 0; sent < rules.abusedMinuteFactor + 2; sent += 1) await request(service, token).get('/v1/pets');
    }
  };

  it('shows both windows, abused minutes and the ban, without expired ones', async () => {
    const { key, token } = await createKey();
    const nothing = { usedThisMinute: 0, usedThisDay: 0, abusedMinutes: 0, bans: 0, bannedUntil: null };
    expect(await usageOf(key.id)).to.deep.include(nothing);
    await abuse(token, 2);
    expect(await usageOf(key.id)).to.deep.include({ ...nothing, usedThisMinute: 1, usedThisDay: 2, abusedMinutes: 2 });
    service.clock.now += minuteMs;
    await abuse(token, 1);
    const bannedUntil = new Date(service.clock.now + rules.firstBanSeconds * 1000).toISOString();
    expect(await usageOf(key.id)).to.deep.include({ usedThisDay: 3, bans: 1, bannedUntil });
    // As long as a further ban would last longer.
    service.clock.now += (rules.firstBanSeconds + rules.rememberedSeconds) * 1000 - 1;
    expect(await usageOf(key.id)).to.deep.include({ ...nothing, bans: 1 });
    service.clock.now += 1;
    expect(await usageOf(key.id)).to.deep.include(nothing);
  });

  it('prints a table with a row for every key', async () => {
    const { key, token } = await createKey();
    await request(service, token).get('/v1/pets').expect(200);
    const { stdout } = await petstore(['keys', 'usage'], service);
    const [heading = '', , row = ''] = stdout.split('\n');
    expect(heading.split(/ {2,}/)).to.deep.equal([
      'ID',
      'NAME',
      'PLAN',
      'THIS MINUTE',
      'THIS DAY',
      'ABUSED MINUTES',
      'BANS',
      'BANNED UNTIL',
    ]);
    expect(row.split(/ {2,}/)).to.deep.equal([key.id, 'bot', 'enterprise', '1 / 1', '1 / 1,000', '0', '0', '-']);
  });

  it('lifts a ban, which a running service applies within 5 seconds', async () => {
    const { key, token } = await createKey();
    await abuse(token, rules.abusedMinutesInARow);
    await request(service, token).get('/v1/pets').expect(429);
    expect(await petstoreJson(['keys', 'unban', key.id], service)).to.deep.equal({ id: key.id, bannedUntil: null });
    const { stdout, exitCode } = await petstore(['keys', 'unban', key.id], service);
    expect(exitCode).to.equal(0);
    expect(stdout).to.equal(`The key ${key.id} is no longer banned. A running server applies this within 5 seconds.\n`);
    expect(await usageOf(key.id)).to.deep.include({ bans: 0, bannedUntil: null });
    service.clock.now += minuteMs;
    const deadline = Date.now() + promiseMs;
    while ((await request(service, token).get('/v1/pets')).status === 429 && Date.now() < deadline) await delay(50);
    expect(Date.now(), 'followed in time').to.be.lessThan(deadline);
    await request(service).get('/v1/pets').expect(200);
  });

  it('reports that the key does not exist', async () => {
    for (const command of ['usage', 'unban']) {
      const { exitCode, stderr } = await petstore(['keys', command, 'key_none'], service);
      expect(exitCode).to.equal(1);
      expect(stderr).to.match(/^error: no key has the id key_none;/);
    }
  });
});
