import { readdirSync } from 'node:fs';
import { expect } from 'chai';
import type { KeyView } from '#src/cli/output/key-views.js';
import { readConfig } from '#src/config.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import { createApiKeyService, openStores } from '#src/service/open-stores.js';
import { keysCommands, petstoreJson } from '../../support/cli/command-line.js';

type IssuedView = KeyView & { readonly token: string };

const token = /pets_live_[0-9A-Za-z]{36}/;
const hourMs = 3_600_000;

describe('petstore keys', () => {
  const { options, keys, keysJson, create, list } = keysCommands();

  it('close the database without leaving side files', async () => {
    await keys('list');
    await keys('revoke', 'key_1');
    expect(readdirSync(options.directory)).to.have.members(['petstore.db']);
  });

  describe('create', () => {
    it('shows the token once, with the limits of the plan', async () => {
      const { exitCode, stdout, stderr } = await keys('create', '--name', 'app', '--plan', 'pro');
      const [{ id } = { id: '' }] = await list();
      expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '' });
      expect(stdout.replace(token, 'TOKEN')).to.equal(
        `The key ${id} is on the plan pro: 300 requests per minute and 10,000 per day. It never expires.\n` +
          'Its token is shown only this once:\n\n  TOKEN\n\n',
      );
      expect((await keys('list')).stdout).not.to.match(token);
    });

    it('prints every field and the token with --json', async () => {
      const key = await create('--plan', 'business', '--expires', '2027-01-31T18:00:00+01:00');
      expect(key.token).to.match(token);
      expect(key.id).to.match(/^key_[0-9A-Za-z]{12}$/);
      expect(key.quotaId).to.match(/^quota_[0-9A-Za-z]{12}$/);
      expect(key).to.deep.equal({
        id: key.id,
        name: 'app',
        plan: 'business',
        requestsPerMinute: 1000,
        requestsPerDay: 100000,
        quotaId: key.quotaId,
        state: 'active',
        createdAt: '2026-11-20T12:00:00.000Z',
        expiresAt: '2027-01-31T17:00:00.000Z',
        revokedAt: null,
        rotatedAt: null,
        lastUsedAt: null,
        token: key.token,
      });
    });

    it('sets the limits of a custom plan', async () => {
      const key = await create('--plan', 'enterprise', '--per-minute', '50000', '--per-day', '999999999999999');
      expect(key).to.include({ plan: 'enterprise', requestsPerMinute: 50000, requestsPerDay: 999999999999999 });
    });

    it('uses the prefix of the environment', async () => {
      const key = await petstoreJson<IssuedView>(['keys', 'create', '--name', 'app', '--plan', 'free'], {
        env: { PETSTORE_ENVIRONMENT: 'staging' },
      });
      expect(key.token).to.match(/^pets_test_/);
    });

    it('shows when the key expires', async () => {
      const { stdout } = await keys('create', '--name', 'app', '--plan', 'free', '--expires', '7d');
      expect(stdout).to.contain('It expires at 2026-11-27T12:00:00Z.');
    });
  });

  describe('list', () => {
    it('aligns columns even if characters are two terminal cells wide', async () => {
      const cat = await keysJson<IssuedView>('create', '--name', '猫カフェ', '--plan', 'free');
      const app = await create('--plan', 'enterprise', '--per-minute', '5', '--per-day', '1234567', '--expires', '30m');
      options.clock.now += hourMs;
      await keys('revoke', cat.id);
      expect((await keys('list')).stdout).to.equal(
        [
          'ID                NAME      PLAN        PER MINUTE    PER DAY  STATE    CREATED               EXPIRES    ' +
            '           LAST USED',
          `${cat.id}  猫カフェ  free                60      1,000  revoked  2026-11-20T12:00:00Z  never                 ` +
            'never',
          `${app.id}  app       enterprise           5  1,234,567  expired  2026-11-20T12:00:00Z  ` +
            '2026-11-20T12:30:00Z  never',
          '',
        ].join('\n'),
      );
    });

    it('escapes control characters of a name', async () => {
      const contract = await readContract(contractUrl);
      const config = readConfig({ DATA_DIR: options.directory }, contract.document);
      const stores = await openStores(config, 'command', { clock: Date.now, report: () => undefined });
      const apiKeyService = createApiKeyService(config, stores, { contract, clock: Date.now });
      const name = 'a\u001b[31m\r\n\u009b2J\u202eb\u2028';
      await apiKeyService.create({ name, plan: 'free', limits: undefined, expiresAt: undefined });
      await stores.close();
      const { stdout } = await keys('list');
      expect(stdout).to.contain('a\\u{1b}[31m\\u{d}\\u{a}\\u{9b}2J\\u{202e}b\\u{2028}  free');
      expect(stdout.replaceAll('\n', '')).not.to.match(/[\p{Cc}\u202e\u2028]/u);
      expect((await list())[0]?.name).to.equal(name);
    });

    it('reports that there are no keys, and where', async () => {
      expect(await keys('list')).to.deep.equal({
        exitCode: 0,
        stdout: `There are no keys in ${options.directory}. \`petstore keys create\` issues one.\n`,
        stderr: '',
      });
      expect(await list()).to.deep.equal([]);
    });
  });

  describe('show', () => {
    it('shows every property of a key, aligned', async () => {
      const { id, quotaId } = await keysJson<IssuedView>('create', '--name', 'a\u202eb', '--plan', 'pro');
      await keys('rotate', id, '--overlap', '90m');
      options.clock.now += hourMs;
      await keys('revoke', id);
      expect(await keys('show', id)).to.deep.equal({
        exitCode: 0,
        stdout: [
          `ID:                   ${id}`,
          'Name:                 a\\u{202e}b',
          'State:                revoked',
          'Plan:                 pro',
          'Requests per minute:  300',
          'Requests per day:     10,000',
          `Quota ID:             ${quotaId}`,
          'Created:              2026-11-20T12:00:00Z',
          'Expires:              2026-11-20T13:30:00Z',
          'Revoked:              2026-11-20T13:00:00Z',
          'Rotated:              2026-11-20T12:00:00Z',
          'Last used:            never',
          '',
        ].join('\n'),
        stderr: '',
      });
    });

    it('prints with --json what `keys list` prints for the key', async () => {
      const { id } = await create('--plan', 'free');
      await create('--plan', 'pro');
      expect(await keysJson('show', id)).to.deep.equal((await list())[0]);
    });
  });

  describe('update', () => {
    it('changes only the given properties', async () => {
      const { token: _token, ...before } = await create('--plan', 'free', '--expires', '7d');
      expect(await keysJson('update', before.id, '--name', 'other')).to.deep.equal({ ...before, name: 'other' });
      expect(await keysJson('update', before.id, '--expires', 'never')).to.include({ name: 'other', expiresAt: null });
      expect(await keysJson('update', before.id, '--expires', '1h')).to.include({
        expiresAt: '2026-11-20T13:00:00.000Z',
      });
      expect(
        await keysJson('update', before.id, '--plan', 'enterprise', '--per-minute', '7', '--per-day', '70'),
      ).to.include({
        plan: 'enterprise',
        requestsPerMinute: 7,
        requestsPerDay: 70,
      });
      expect(await keysJson('update', before.id, '--plan', 'pro')).to.include({ plan: 'pro', requestsPerMinute: 300 });
    });

    it('shows the changed key', async () => {
      const { id } = await create('--plan', 'free');
      const { exitCode, stdout } = await keys('update', id, '--name', 'other');
      expect(exitCode).to.equal(0);
      expect(stdout).to.match(new RegExp(`^ID .*\\n${id} +other +free +60 +1,000 +active `));
    });
  });

  describe('rotate', () => {
    it('issues a successor that shares the quota, and keeps the old key valid for a day', async () => {
      const old = await create('--plan', 'free');
      const { predecessor, ...successor } = await keysJson<IssuedView & { predecessor: object }>('rotate', old.id);
      expect(predecessor).to.deep.equal({ id: old.id, expiresAt: '2026-11-21T12:00:00.000Z' });
      expect(successor).to.deep.equal({ ...old, id: successor.id, token: successor.token });
      expect(successor.token).to.match(token).and.not.equal(old.token);
      options.clock.now += 24 * hourMs;
      expect((await list()).map(({ id, state }) => [id, state])).to.deep.equal([
        [old.id, 'expired'],
        [successor.id, 'active'],
      ]);
    });

    it('accepts another overlap, and shows its end', async () => {
      const old = await create('--plan', 'free');
      const { exitCode, stdout } = await keys('rotate', old.id, '--overlap', '90m');
      const successor = (await list())[1];
      expect(exitCode).to.equal(0);
      expect(stdout.replace(token, 'TOKEN')).to.equal(
        `The key ${String(successor?.id)} replaces ${old.id}, which stays valid until 2026-11-20T13:30:00Z. ` +
          'Both share one quota.\nIts token is shown only this once:\n\n  TOKEN\n\n',
      );
    });
  });

  describe('revoke', () => {
    it('shows when the key was revoked, which a second revocation does not change', async () => {
      const { id } = await create('--plan', 'free');
      const notice = `The key ${id} was revoked at 2026-11-20T12:00:00Z.\n`;
      expect(await keys('revoke', id)).to.deep.equal({ exitCode: 0, stdout: notice, stderr: '' });
      options.clock.now += hourMs;
      expect((await keys('revoke', id)).stdout).to.equal(notice);
      expect(await keysJson('revoke', id)).to.include({ state: 'revoked', revokedAt: '2026-11-20T12:00:00.000Z' });
    });
  });
});
