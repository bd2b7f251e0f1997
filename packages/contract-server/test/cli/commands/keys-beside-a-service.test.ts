import { setTimeout as delay } from 'node:timers/promises';
import type { IssuedKeyView, KeyView } from '@contract-server/test-support/cli/issued-keys.js';
import { toys, toysJson } from '@contract-server/test-support/cli/toys.js';
import { rule } from '@contract-server/test-support/rate-limits/quota.js';
import { request } from '@contract-server/test-support/servers/toys.js';
import { useNewService } from '@contract-server/test-support/servers/toys-service.js';
import { expect } from 'chai';

describe('toys keys, while the service runs', () => {
  const service = useNewService();

  const keys = <T = KeyView>(...args: string[]): Promise<T> => toysJson<T>(['keys', ...args], service);
  const create = (...args: string[]) => keys<IssuedKeyView>('create', '--name', 'app', ...args);
  /** A key with a limit of one request per minute. */
  const createSmall = () => create('--plan', 'enterprise', '--per-minute', '1', '--per-day', '1000');
  const listToys = (token: string) => request(service, token).get('/v1/toys');
  const listToysTimes = async (count: number, token: string) => {
    for (let sent = 0; sent < count; sent += 1) await listToys(token);
  };
  const usageOf = async (id: string) => {
    await service.quotas.maintain();
    return (await keys<{ bannedUntil: string | null }[]>('usage', id))[0];
  };

  it('issues keys and successors that are valid immediately, and rejects a rotated key after its overlap', async () => {
    const old = await create('--plan', 'free');
    await listToys(old.token).expect(200, []);
    const { token } = await keys<IssuedKeyView>('rotate', old.id, '--overlap', '1m');
    await listToys(token).expect(200);
    service.clock.now += 60_000 - 1;
    await listToys(old.token).expect(200);
    service.clock.now += 1;
    await listToys(old.token).expect(401);
    await listToys(token).expect(200);
  });

  it('revokes a key in use within 5 seconds', async () => {
    const { id, token } = await create('--plan', 'free');
    await listToys(token).expect(200);
    await keys('revoke', id);
    service.clock.now += 5000;
    await listToys(token).expect(401);
  });

  it('lists the keys of the service, and when each was last used', async () => {
    const { id, token } = await create('--plan', 'free');
    await listToys(token).expect(200);
    await service.close();
    const listed = await keys<KeyView[]>('list');
    expect(listed.map((key) => [key.id, key.lastUsedAt])).to.deep.equal([
      [service.keyId, null],
      [id, '2026-11-20T12:00:00.000Z'],
    ]);
  });

  it('shows the usage of both windows and the ban, without expired ones', async () => {
    const { id, token } = await createSmall();
    expect(await usageOf(id)).to.deep.include({ usedThisMinute: 0, usedThisDay: 0, bannedUntil: null });
    await listToysTimes(rule.rejectedRequestsFactor + 1, token);
    expect(await usageOf(id)).to.deep.include({ usedThisMinute: 1, usedThisDay: 1, bannedUntil: null });
    await listToys(token);
    const bannedUntil = new Date(service.clock.now + rule.seconds * 1000).toISOString();
    expect(await usageOf(id)).to.deep.include({ usedThisMinute: 1, usedThisDay: 1, bannedUntil });
    service.clock.now += rule.seconds * 1000;
    expect(await usageOf(id)).to.deep.include({ usedThisMinute: 0, usedThisDay: 1, bannedUntil: null });
  });

  it('prints a table of the usage with a row for every key', async () => {
    const { id, token } = await createSmall();
    await listToys(token).expect(200);
    await service.quotas.maintain();
    const { stdout } = await toys(['keys', 'usage'], service);
    const [headings, , row] = stdout.split('\n').map((line) => line.split(/ {2,}/));
    expect(headings).to.deep.equal(['ID', 'NAME', 'PLAN', 'THIS MINUTE', 'THIS DAY', 'BANNED UNTIL']);
    expect(row).to.deep.equal([id, 'app', 'enterprise', '1 / 1', '1 / 1,000', '-']);
  });

  it('ends a ban and resets the minute, which a running service applies within 5 seconds', async () => {
    const { id, token } = await createSmall();
    await listToysTimes(rule.rejectedRequestsFactor + 2, token);
    expect(String((await usageOf(id))?.bannedUntil)).to.match(/^2026-11-20T/);
    expect(await keys('unban', id)).to.deep.equal({ id, bannedUntil: null });
    const { stdout, exitCode } = await toys(['keys', 'unban', id], service);
    expect(exitCode).to.equal(0);
    expect(stdout).to.equal(`The key ${id} is no longer banned. A running server applies this within 5 seconds.\n`);
    const deadline = Date.now() + 5000;
    while ((await listToys(token)).status === 429 && Date.now() < deadline) await delay(50);
    expect(Date.now(), 'applied in time').to.be.lessThan(deadline);
  });
});
