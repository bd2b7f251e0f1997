import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { KeyView } from '#src/cli/output/key-views.js';
import { readConfig } from '#src/config.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import { openStores } from '#src/service/open-stores.js';
import { failure, keysCommands, petstore, petstoreJson, success, TextOutput } from '../../support/cli/command-line.js';
import { corruptDatabase } from '../../support/fault-injection.js';

type IssuedView = KeyView & { readonly token: string };

const token = /pets_live_[0-9A-Za-z]{36}/;
const hourMs = 3_600_000;

describe('petstore keys', () => {
  const { options, keys, keysJson, create, list } = keysCommands();

  it('closes the database without leaving side files', async () => {
    await keys('list');
    await keys('revoke', 'key_1');
    expect(readdirSync(options.directory)).to.have.members(['petstore.db']);
  });

  it('create shows the token once, with the limits of the plan and the expiry', async () => {
    const { exitCode, stdout, stderr } = await keys('create', '--name', 'app', '--plan', 'pro');
    const [{ id } = { id: '' }] = await list();
    expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '' });
    expect(stdout.replace(token, 'TOKEN')).to.equal(
      `The key ${id} is on the plan pro: 300 requests per minute and 10,000 per day. It never expires.\n` +
        'Its token is shown only this once:\n\n  TOKEN\n\n',
    );
    expect((await keys('list')).stdout).not.to.match(token);
    const expiring = await keys('create', '--name', 'app', '--plan', 'free', '--expires', '7d');
    expect(expiring.stdout).to.contain('It expires at 2026-11-27T12:00:00Z.');
  });

  it('create prints every field and the token with --json', async () => {
    const key = await create('--plan', 'business', '--expires', '2027-01-31T18:00:00+01:00');
    expect(key.token).to.match(token);
    expect(key.id).to.match(/^key_[0-9A-Za-z]{12}$/);
    expect(key.quotaId).to.match(/^quota_[0-9A-Za-z]{12}$/);
    expect(key).to.deep.equal({
      ...{ id: key.id, name: 'app', plan: 'business', requestsPerMinute: 1000, requestsPerDay: 100_000 },
      ...{ quotaId: key.quotaId, state: 'active', createdAt: '2026-11-20T12:00:00.000Z' },
      ...{ expiresAt: '2027-01-31T17:00:00.000Z', revokedAt: null, rotatedAt: null, lastUsedAt: null },
      token: key.token,
    });
    const custom = await create('--plan', 'enterprise', '--per-minute', '50000', '--per-day', '999999999999999');
    expect(custom).to.include({ requestsPerMinute: 50_000, requestsPerDay: 999_999_999_999_999 });
  });

  it('create uses the prefix of the environment', async () => {
    const env = { PETSTORE_ENVIRONMENT: 'staging' };
    const key = await petstoreJson<IssuedView>(['keys', 'create', '--name', 'app', '--plan', 'free'], { env });
    expect(key.token).to.match(/^pets_test_/);
  });

  it('list aligns columns even if characters are two terminal cells wide', async () => {
    const cat = await keysJson<IssuedView>('create', '--name', '猫カフェ', '--plan', 'free');
    const app = await create('--plan', 'enterprise', '--per-minute', '5', '--per-day', '1234567', '--expires', '30m');
    options.clock.now += hourMs;
    await keys('revoke', cat.id);
    const at = '2026-11-20T12:00:00Z';
    expect(
      (await keys('list')).stdout.replaceAll(cat.id, 'key_000000000000').replaceAll(app.id, 'key_1'.padEnd(16, '1')),
    ).to.equal(
      [
        'ID                NAME      PLAN        PER MINUTE    PER DAY  STATE    CREATED               EXPIRES               LAST USED',
        `key_000000000000  猫カフェ  free                60      1,000  revoked  ${at}  never                 never`,
        `key_111111111111  app       enterprise           5  1,234,567  expired  ${at}  2026-11-20T12:30:00Z  never`,
        '',
      ].join('\n'),
    );
  });

  it('list escapes control characters of a name', async () => {
    const contract = await readContract(contractUrl);
    const config = readConfig({ DATA_DIR: options.directory }, contract.document);
    const stores = await openStores(config, 'command', { contract, clock: Date.now, report: () => undefined });
    const name = 'a\u001b[31m\r\n\u009b2J\u202eb\u2028';
    await stores.apiKeyService.create({ name, plan: 'free', limits: undefined, expiresAt: undefined });
    await stores.close();
    const { stdout } = await keys('list');
    expect(stdout).to.contain('a\\u{1b}[31m\\u{d}\\u{a}\\u{9b}2J\\u{202e}b\\u{2028}  free');
    expect((await list())[0]?.name).to.equal(name);
  });

  it('list reports that there are no keys, and where', async () => {
    const text = `There are no keys in ${options.directory}. \`petstore keys create\` issues one.\n`;
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
    const { predecessor, ...successor } = await keysJson<IssuedView & { predecessor: object }>('rotate', old.id);
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

  const when = 'use a date like 2027-01-31, a time like 2027-01-31T18:00:00Z, or a duration from now like 30d';
  const count = 'use an integer from 1 to 999999999999999';
  const option = (flags: string, value: string, resolution: string) =>
    `option '${flags}' argument '${value}' is invalid; ${resolution}`;
  const unknown = 'no key has the id key_1; list the keys with `petstore keys list`';
  const fixed = (plan: string) => `invalid limits: the limits of the plan ${plan} are fixed; leave them out`;
  const free = 'create --name a --plan free';

  const usage: readonly [args: string, message: string][] = [
    ['create --plan free', 'use --name and --plan'],
    ['create --name a', 'use --name and --plan'],
    [
      'create --name _ --plan free',
      option('--name <name>', ' ', 'use a name of at most 100 characters that is not blank'),
    ],
    [
      'create --name a --plan gold',
      option('--plan <plan>', 'gold', 'allowed choices are free, pro, business, enterprise'),
    ],
    [`${free} --expires soon`, option('--expires <when>', 'soon', when)],
    ['update key_1 --expires 2027-02-30', option('--expires <when>', '2027-02-30', when)],
    [
      'rotate key_1 --overlap 24',
      option('--overlap <duration>', '24', 'use a duration of at most 100 years, like 30m, 24h or 7d'),
    ],
    ['create --name a --plan enterprise --per-minute 5', 'use --per-minute and --per-day together'],
    ['update key_1 --per-day 5', 'use --per-minute and --per-day together'],
    ['create --name a --plan pro --per-minute 0', option('--per-minute <count>', '0', count)],
    ['create --name a --plan pro --per-day 1e3', option('--per-day <count>', '1e3', count)],
    ['update key_1 --per-day 1000000000000000', option('--per-day <count>', '1000000000000000', count)],
    ['update key_1', 'nothing to change; use --name, --plan, --per-minute and --per-day, or --expires'],
    ['revoke', "missing required argument 'id'"],
    ['list all', "too many arguments for 'list'; expected 0 arguments but got 1"],
  ];
  const failures: readonly [args: string, message: string][] = [
    ['revoke key_1', unknown],
    ['update key_1 --name a', unknown],
    ['create --name a --plan enterprise', 'invalid limits: the plan enterprise requires limits per minute and per day'],
    ['create --name a --plan pro --per-minute 5 --per-day 50', fixed('pro')],
    [`${free} --per-minute 5 --per-day 50`, fixed('free')],
    [`${free} --expires 2026-11-20`, 'the expiry must be in the future'],
  ];
  for (const [exitCode, cases] of [
    [2, usage],
    [1, failures],
  ] as const) {
    for (const [args, message] of cases) {
      it(`exits with ${String(exitCode)} and prints one error for \`keys ${args}\``, async () => {
        const words = args.split(' ').map((arg) => (arg === '_' ? ' ' : arg));
        expect(await keys(...words)).to.deep.equal(failure(message, exitCode));
        expect(await list()).to.deep.equal([]);
      });
    }
  }

  it('rejects a name that does not fit into a table', async () => {
    expect((await keys('create', '--plan', 'free', '--name', 'x'.repeat(101))).exitCode).to.equal(2);
  });

  it('escapes control characters of an argument', async () => {
    for (const args of [
      ['revoke', '\u001b[31mx'],
      ['\u001b[31mx'],
      ['create', '--plan', '\u001b[31mx', '--name', 'a'],
    ]) {
      const { exitCode, stderr } = await keys(...args);
      expect(exitCode).to.be.greaterThan(0);
      expect(stderr).to.include('\\u{1b}[31mx').and.not.include('\u001b');
    }
  });

  it('exits with 1 when the token, which cannot be shown again, is not read', async () => {
    const stdout = new TextOutput();
    stdout.destroy();
    const run = await petstore(['keys', 'create', '--name', 'a', '--plan', 'free'], { ...options, stdout });
    expect(run.exitCode).to.equal(1);
    expect((await petstore(['keys', 'list'], { ...options, stdout })).exitCode).to.equal(0);
  });

  it('exits with 1 and names the file if the database is damaged', async () => {
    await create('--plan', 'free');
    corruptDatabase(options);
    const { exitCode, stderr } = await keys('list');
    const reason = 'database disk image is malformed';
    const file = join(options.directory, 'petstore.db');
    expect({ exitCode, stderr }).to.deep.equal({
      exitCode: 1,
      stderr: `error: the database ${file} cannot be opened: ${reason}; see DATA_DIR\n`,
    });
  });
});
