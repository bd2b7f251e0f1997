import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { KeyView } from '#src/cli/output/key-views.js';
import { failure, petstore, petstoreJson, success } from '../../support/cli/command-line.js';
import { startOfTests } from '../../support/servers/service.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('petstore keys export and import', () => {
  let from: string;
  let to: string;
  beforeEach(() => {
    from = temporaryDirectory();
    to = temporaryDirectory();
  });

  const create = (...args: string[]) =>
    petstoreJson<KeyView & { token: string }>(['keys', 'create', '--name', 'shop', ...args], { directory: from });
  const list = (directory: string) => petstoreJson<KeyView[]>(['keys', 'list'], { directory });
  const exported = async (directory = from) => (await petstore(['keys', 'export'], { directory })).stdout;
  const importText = (text: string, ...options: string[]) =>
    petstore(['keys', 'import', '-', ...options], { directory: to, stdin: text });

  it('move every key with its quota, expiry and state, without tokens', async () => {
    const first = await create('--plan', 'pro', '--expires', '30d');
    const second = await create('--plan', 'enterprise', '--per-minute', '5', '--per-day', '50');
    await petstoreJson(['keys', 'rotate', first.id], { directory: from });
    await petstoreJson(['keys', 'revoke', second.id], { directory: from, clock: { now: startOfTests + 1 } });
    const text = await exported();
    expect(text).to.not.contain('pets_live_');
    expect(await importText(text)).to.deep.equal(success('Imported 3 keys.\n'));
    expect(await list(to)).to.deep.equal(await list(from));
    expect(await exported(to)).to.equal(text);
  });

  it('use files that only their owner can read', async () => {
    await create('--plan', 'free');
    const file = join(from, 'keys.ndjson');
    writeFileSync(file, 'what was there before', { mode: 0o644 });
    expect(await petstore(['keys', 'export', file], { directory: from })).to.deep.equal(
      success(`Exported 1 key to ${file}.\n`),
    );
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    expect(readFileSync(file, 'utf8')).to.equal(await exported());
    const summary = await petstoreJson(['keys', 'import', file], { directory: to });
    expect(summary).to.deep.equal({ validLines: 1, invalidLines: 0, imported: 1 });
  });

  it('report every invalid line, and import nothing', async () => {
    await create('--plan', 'free');
    const [line = ''] = (await exported()).split('\n');
    const invalid = line.replace('"free"', '"gold"').replace(/"tokenSha256":"../, '"tokenSha256":"XY');
    expect(await importText(`${line}\n\n${invalid}\n{"token":"x"}\n`)).to.deep.equal({
      exitCode: 1,
      stdout: 'Invalid lines: 2. Nothing was imported.\n',
      stderr:
        'Line 3: `tokenSha256` must have 64 hexadecimal digits. `plan` must be one of: free, pro, business, enterprise.\n' +
        'Line 4: Missing field `id`. Missing field `tokenSha256`. Missing field `name`. Missing field `quotaId`. ' +
        'Missing field `plan`. Missing field `createdAt`. Unknown field `token`; allowed: `id`, `tokenSha256`, ' +
        '`name`, `quotaId`, `plan`, `requestsPerMinute`, `requestsPerDay`, `createdAt`, `expiresAt`, `revokedAt`, ' +
        '`rotatedAt`, `lastUsedAt`.\n',
    });
    expect(await list(to)).to.deep.equal([]);
    expect(JSON.parse((await importText(invalid, '--json')).stdout)).to.deep.equal({
      validLines: 0,
      invalidLines: 1,
      imported: 0,
    });
  });

  it('reject times that do not exist, and one custom limit without the other', async () => {
    await create('--plan', 'enterprise', '--per-minute', '5', '--per-day', '50');
    const line = await exported();
    const invalid = [
      line.replace(/"createdAt":"[^"]*"/, '"createdAt":"2026-06-30T23:59:60.000Z"'),
      line.replace('"createdAt"', '"revokedAt":"2026-06-30T23:59:60.000Z","createdAt"'),
      line.replace('"createdAt"', '"expiresAt":"2026-02-31T00:00:00.000Z","createdAt"'),
      line.replace('"requestsPerDay":50,', ''),
    ];
    const time = 'must have a time like 2026-11-20T12:00:00.000Z.';
    expect((await importText(invalid.join(''))).stderr).to.equal(
      `Line 1: \`createdAt\` ${time}\nLine 2: \`revokedAt\` ${time}\nLine 3: \`expiresAt\` ${time}\n` +
        'Line 4: Fields requestsPerMinute and requestsPerDay must be set together.\n',
    );
    expect(await list(to)).to.deep.equal([]);
  });

  it('import nothing if a key, its token or its quota exists already or occurs twice', async () => {
    await create('--plan', 'free');
    const text = await exported();
    const another = text.replace(/"key_\w+"/, '"key_other"');
    const otherToken = another.replace(/"tokenSha256":"../, '"tokenSha256":"00').replace('key_other', 'key_third');
    const rejected = failure('a key, its token or its quota already exists; nothing was imported');
    expect(await importText(text + text)).to.deep.equal(rejected);
    expect(await importText(text + another)).to.deep.equal(rejected);
    expect(await importText(text + otherToken.replace('"free"', '"pro"'))).to.deep.equal(rejected);
    expect(await list(to)).to.deep.equal([]);
    expect((await importText(text)).exitCode).to.equal(0);
    expect(await importText(otherToken)).to.deep.equal(rejected);
  });

  it('reject names that `keys create` rejects', async () => {
    await create('--plan', 'free');
    const line = await exported();
    const names = [' ', 'x'.repeat(101), 'a\\u0000b'];
    const invalid = names.map((name) => line.replace('"shop"', `"${name}"`));
    const message = '`name` must have 1 to 100 characters that are not all blank.';
    expect((await importText(invalid.join(''))).stderr).to.equal(
      names.map((_, index) => `Line ${String(index + 1)}: ${message}\n`).join(''),
    );
    expect((await importText(line.replace('"shop"', `"${'x'.repeat(100)}"`))).exitCode).to.equal(0);
  });

  it('import no key with limits on a plan of the contract', async () => {
    const { id } = await create('--plan', 'pro');
    const text = (await exported()).replace('"createdAt"', '"requestsPerMinute":5,"requestsPerDay":50,"createdAt"');
    expect((await importText(text)).stderr).to.equal(
      `error: the key ${id} is invalid: the limits of the plan pro are fixed; leave them out; nothing was imported\n`,
    );
    expect(await list(to)).to.deep.equal([]);
  });

  it('import no limits that no response header can report', async () => {
    await create('--plan', 'enterprise', '--per-minute', '5', '--per-day', '50');
    const text = (await exported()).replace(':50,', ':1000000000000000,');
    expect((await importText(text)).stderr).to.equal(
      'Line 1: `requestsPerDay` must be an integer from 1 to 999999999999999.\n',
    );
  });

  it('import no key of a custom plan without limits', async () => {
    const { id } = await create('--plan', 'enterprise', '--per-minute', '5', '--per-day', '50');
    const text = (await exported()).replace('"requestsPerMinute":5,"requestsPerDay":50,', '');
    expect((await importText(text)).stderr).to.equal(
      `error: the key ${id} is invalid: the plan enterprise requires limits per minute and per day; nothing was imported\n`,
    );
  });

  it('report why a file cannot be read', async () => {
    writeFileSync(join(from, 'x'), 'not a key\n');
    const { exitCode, stderr } = await petstore(['keys', 'import', join(from, 'x')], { directory: to });
    expect({ exitCode, stderr }).to.deep.equal({
      exitCode: 1,
      stderr: 'Line 1: The line is not valid JSON: expected a value, at character 1.\n',
    });
  });
});
