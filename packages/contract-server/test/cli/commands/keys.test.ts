import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { failure, success, TextOutput } from '@contract-server/test-support/cli/command-line.js';
import type { IssuedKeyView } from '@contract-server/test-support/cli/issued-keys.js';
import { keysCommands, toys, toysJson } from '@contract-server/test-support/cli/toys.js';
import { corruptDatabase, openBeside } from '@contract-server/test-support/fault-injection.js';
import { expect } from 'chai';

const token = /toys_live_[0-9A-Za-z]{36}/;
const hourMs = 3_600_000;

describe('toys keys', () => {
  const { options, keys, keysJson, create, list } = keysCommands();

  it('closes the database without leaving side files', async () => {
    await keys('list');
    await keys('revoke', 'key_1');
    expect(readdirSync(options.directory)).to.have.members(['toys.db']);
  });

  it('create shows the token once, with the limits of the plan and the expiry', async () => {
    const { exitCode, stdout, stderr } = await keys('create', '--name', 'app', '--plan', 'pro');
    const [{ id } = { id: '' }] = await list();
    expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '' });
    expect(stdout.replace(token, 'TOKEN')).to.equal(
      `The key ${id} is on the plan pro: 300 requests per minute and 10,000 per day. It never expires.\n` +
        `It is stored in ${options.directory}.\n` +
        'Its token is shown only this once:\n\n  TOKEN\n\n',
    );
    expect((await keys('list')).stdout).not.to.match(token);
    const expiring = await keys('create', '--name', 'app', '--plan', 'free', '--expires', '7d');
    expect(expiring.stdout).to.contain('It expires at 2026-11-27T12:00:00Z.');
  });

  it('create prints every field and the token with --json', async () => {
    const key = await create('--plan', 'pro', '--expires', '2027-01-31T18:00:00+01:00');
    expect(key.token).to.match(token);
    expect(key.id).to.match(/^key_[0-9A-Za-z]{12}$/);
    expect(key.quotaId).to.match(/^quota_[0-9A-Za-z]{12}$/);
    expect(key).to.deep.equal({
      ...{ id: key.id, name: 'app', plan: 'pro', requestsPerMinute: 300, requestsPerDay: 10_000 },
      ...{ quotaId: key.quotaId, state: 'active', createdAt: '2026-11-20T12:00:00.000Z' },
      ...{ expiresAt: '2027-01-31T17:00:00.000Z', revokedAt: null, rotatedAt: null, lastUsedAt: null },
      token: key.token,
    });
    const custom = await create('--plan', 'enterprise', '--per-minute', '50000', '--per-day', '999999999999999');
    expect(custom).to.include({ requestsPerMinute: 50_000, requestsPerDay: 999_999_999_999_999 });
  });

  it('create uses the prefix of the environment', async () => {
    const env = { TOYS_ENVIRONMENT: 'staging' };
    const key = await toysJson<IssuedKeyView>(['keys', 'create', '--name', 'app', '--plan', 'free'], { env });
    expect(key.token).to.match(/^toys_test_/);
  });

  it('list aligns columns even if characters are two terminal cells wide', async () => {
    const cat = await keysJson<IssuedKeyView>('create', '--name', '猫カフェ', '--plan', 'free');
    const app = await create('--plan', 'enterprise', '--per-minute', '5', '--per-day', '1234567', '--expires', '30m');
    options.clock.now += hourMs;
    await keys('revoke', cat.id);
    const { stdout } = await keys('list');
    const at = '2026-11-20T12:00:00Z';
    expect(stdout.replace(cat.id, 'key_000000000000').replace(app.id, 'key_111111111111').split('\n')).to.deep.equal([
      'ID                NAME      PLAN        PER MINUTE    PER DAY  STATE    CREATED               EXPIRES               LAST USED',
      `key_000000000000  猫カフェ  free                60      1,000  revoked  ${at}  never                 never`,
      `key_111111111111  app       enterprise           5  1,234,567  expired  ${at}  2026-11-20T12:30:00Z  never`,
      '',
    ]);
  });

  it('list escapes control characters of a name', async () => {
    await create('--plan', 'free');
    const name = 'a\u001b[31m\r\n\u009b2J\u202eb\u2028';
    const beside = openBeside(options);
    beside.prepare('UPDATE api_keys SET name = ?').run(name);
    beside.close();
    expect((await keys('list')).stdout).to.contain('a\\u001b[31m\\u000d\\u000a\\u009b2J\\u202eb\\u2028  free');
    expect((await list())[0]?.name).to.equal(name);
  });

  it('list reports that there are no keys, and where', async () => {
    const text = `There are no keys in ${options.directory}. \`toys keys create\` issues one.\n`;
    expect(await keys('list')).to.deep.equal(success(text));
    expect(await list()).to.deep.equal([]);
  });

  it('update changes only the given properties, and shows the key', async () => {
    const { token: _token, ...before } = await create('--plan', 'free', '--expires', '7d');
    const { id } = before;
    expect(await keysJson('update', id, '--name', 'other')).to.deep.equal({ ...before, name: 'other' });
    expect(await keysJson('update', id, '--expires', 'never')).to.include({ name: 'other', expiresAt: null });
    const limits = ['--plan', 'enterprise', '--per-minute', '7', '--per-day', '70'];
    expect(await keysJson('update', id, ...limits)).to.include({ requestsPerMinute: 7, requestsPerDay: 70 });
    expect(await keysJson('update', id, '--plan', 'pro')).to.include({ plan: 'pro', requestsPerMinute: 300 });
    const { stdout } = await keys('update', id, '--expires', '1h');
    expect(stdout).to.match(new RegExp(`\\n${id} +other +pro +300 +10,000 +active +\\S+ +2026-11-20T13:00:00Z `));
  });

  it('rotate issues a successor that shares the quota, and keeps the old key valid for the overlap', async () => {
    const old = await create('--plan', 'free');
    const { predecessor, ...successor } = await keysJson<IssuedKeyView & { predecessor: object }>('rotate', old.id);
    expect(predecessor).to.deep.equal({ id: old.id, expiresAt: '2026-11-21T12:00:00.000Z' });
    expect(successor).to.deep.equal({ ...old, id: successor.id, token: successor.token });
    expect(successor.token).to.match(token).and.not.equal(old.token);
    const { stdout } = await keys('rotate', successor.id, '--overlap', '90m');
    const last = (await list()).at(-1);
    expect(stdout.replace(token, 'TOKEN')).to.equal(
      `The key ${String(last?.id)} replaces ${successor.id}, which stays valid until 2026-11-20T13:30:00Z. ` +
        'Both share one quota.\nIts token is shown only this once:\n\n  TOKEN\n\n',
    );
    options.clock.now += 24 * hourMs;
    expect((await list()).map(({ state }) => state)).to.deep.equal(['expired', 'expired', 'active']);
  });

  it('revoke shows when the key was revoked, which a second revocation does not change', async () => {
    const { id } = await create('--plan', 'free');
    const notice = success(`The key ${id} was revoked at 2026-11-20T12:00:00Z.\n`);
    expect(await keys('revoke', id)).to.deep.equal(notice);
    options.clock.now += hourMs;
    expect(await keys('revoke', id)).to.deep.equal(notice);
    expect(await keysJson('revoke', id)).to.include({ state: 'revoked', revokedAt: '2026-11-20T12:00:00.000Z' });
    const message = `the key ${id} is revoked or expired; create another one`;
    expect(await keys('rotate', id)).to.deep.equal(failure(message));
  });

  const free = 'create --name a --plan free';
  const pro = 'create --name a --plan pro';
  const enterprise = 'create --name a --plan enterprise';
  const name = 'use a name of at most 100 characters that is not blank';
  const plan = 'allowed choices are free, pro, enterprise';
  const when = 'use a date like 2027-01-31, a time like 2027-01-31T18:00:00Z, or a duration from now like 30d';
  const duration = 'use a duration of at most 100 years, like 30m, 24h or 7d';
  const count = 'it must be an integer from 1 to 999999999999999';
  const missing = (options: string) => `missing ${options}: the plan enterprise requires limits per minute and per day`;
  const unknown = 'no key has the id key_1; list the keys with `toys keys list`';
  const fixed = (of: string) =>
    `invalid --per-minute and --per-day: the limits of the plan ${of} are fixed; leave them out`;
  const invalid = (flags: string, value: string, resolution: string) =>
    `option '${flags}' argument '${value}' is invalid; ${resolution}`;

  for (const [exitCode, args, message] of [
    [2, 'create --plan free', 'missing --name'],
    [2, 'create --name a', 'missing --plan'],
    [2, 'create', 'missing --name and --plan'],
    [2, 'create --plan free --name \t', invalid('--name <name>', '\\u0009', name)],
    [2, `create --plan free --name ${'x'.repeat(101)}`, invalid('--name <name>', 'x'.repeat(101), name)],
    [2, 'create --name a --plan gold', invalid('--plan <plan>', 'gold', plan)],
    [2, `${free} --expires soon`, invalid('--expires <when>', 'soon', when)],
    [2, 'update key_1 --expires 2027-02-30', invalid('--expires <when>', '2027-02-30', when)],
    [2, 'rotate key_1 --overlap 24', invalid('--overlap <duration>', '24', duration)],
    [2, `${enterprise} --per-minute 5`, missing('--per-day')],
    [2, `${enterprise} --per-day 5`, missing('--per-minute')],
    [2, enterprise, missing('--per-minute and --per-day')],
    [2, `${pro} --per-minute 5`, fixed('pro')],
    [1, 'update key_1 --per-day 5', unknown],
    [2, `${pro} --per-minute 0`, invalid('--per-minute <count>', '0', count)],
    [2, `${pro} --per-day 1e3`, invalid('--per-day <count>', '1e3', count)],
    [2, 'update key_1 --per-day 1000000000000000', invalid('--per-day <count>', '1000000000000000', count)],
    [2, 'update key_1', 'nothing to change; use --name, --plan, --per-minute and --per-day, or --expires'],
    [2, 'revoke', "missing required argument 'id'"],
    [2, 'list all', "too many arguments for 'list'; expected 0 arguments but got 1"],
    [1, 'revoke key_1', unknown],
    [1, 'update key_1 --name a', unknown],
    [1, 'usage key_1', unknown],
    [1, 'unban key_1', unknown],
    [2, `${pro} --per-minute 5 --per-day 50`, fixed('pro')],
    [2, `${free} --per-minute 5 --per-day 50`, fixed('free')],
    [2, `${free} --expires 2026-11-20`, 'invalid --expires: the time must be in the future'],
  ] as const)
    it(`exits with ${String(exitCode)} and prints one error for \`keys ${args}\``, async () => {
      expect(await keys(...args.split(' '))).to.deep.equal(failure(message, exitCode));
      expect(await list()).to.deep.equal([]);
    });

  it('update rejects limits that the plan of the key does not allow, and one limit of a custom plan', async () => {
    const [{ id: proId }, { id }] = [
      await create('--plan', 'pro'),
      await create('--plan', 'enterprise', '--per-minute', '5', '--per-day', '50'),
    ];
    const before = await list();
    expect(await keys('update', proId, '--per-minute', '5')).to.deep.equal(failure(fixed('pro'), 2));
    expect(await keys('update', id, '--per-day', '5')).to.deep.equal(failure(missing('--per-minute'), 2));
    expect(await list()).to.deep.equal(before);
  });

  for (const [what, ...args] of [
    ['an id', 'revoke', '\u001b[31mx'],
    ['a command', '\u001b[31mx'],
    ['a plan', 'create', '--name', 'a', '--plan', '\u001b[31mx'],
  ] as const)
    it(`escapes control characters of ${what}`, async () => {
      const { exitCode, stderr } = await keys(...args);
      expect(exitCode).to.be.greaterThan(0);
      expect(stderr).to.include('\\u001b[31mx').and.not.include('\u001b');
    });

  it('exits with 1 when the token, which cannot be shown again, is not read', async () => {
    const stdout = new TextOutput();
    stdout.destroy();
    const run = await toys(['keys', 'create', '--name', 'a', '--plan', 'free'], { ...options, stdout });
    expect(run.exitCode).to.equal(1);
    expect((await toys(['keys', 'list'], { ...options, stdout })).exitCode).to.equal(0);
  });

  it('exits with 1 and names the file if the database is damaged', async () => {
    await create('--plan', 'free');
    corruptDatabase(options);
    const file = join(options.directory, 'toys.db');
    const message = `the database ${file} cannot be opened: database disk image is malformed; see DATA_DIR`;
    expect(await keys('list')).to.deep.equal(failure(message));
  });
});
