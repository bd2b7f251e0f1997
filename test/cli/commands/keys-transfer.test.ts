import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { KeyView } from '#contract-server/cli/output/key-views.js';
import { describePostgres, sharedPostgres } from '#contract-server-test/support/postgres/postgres.js';
import { startOfTests } from '#contract-server-test/support/start-of-tests.js';
import { temporaryDirectory } from '#contract-server-test/support/temporary-directory.js';
import { failure, petstore, petstoreJson, type RunOptions, success } from '../../support/cli/command-line.js';

const rejected = failure('a key, its token or its quota already exists; nothing was imported');

describe('petstore keys export and import', () => {
  let from: string;
  let to: string;
  beforeEach(() => ([from, to] = [temporaryDirectory(), temporaryDirectory()]));

  const create = (...args: string[]) =>
    petstoreJson<KeyView & { token: string }>(['keys', 'create', '--name', 'shop', ...args], { directory: from });
  const createCustom = () => create('--plan', 'enterprise', '--per-minute', '5', '--per-day', '50');
  const list = (directory: string) => petstoreJson<KeyView[]>(['keys', 'list'], { directory });
  const exported = async (directory = from) => (await petstore(['keys', 'export'], { directory })).stdout;
  const importText = (stdin: string, ...options: string[]) =>
    petstore(['keys', 'import', '-', ...options], { directory: to, stdin });

  it('move every key with its quota, expiry and state, without tokens', async () => {
    const [first, second] = [await create('--plan', 'pro', '--expires', '30d'), await createCustom()];
    await petstoreJson(['keys', 'rotate', first.id], { directory: from });
    await petstoreJson(['keys', 'revoke', second.id], { directory: from, clock: { now: startOfTests + 1 } });
    const text = await exported();
    expect(text).to.not.contain('pets_live_');
    expect(await importText(text)).to.deep.equal(success('Imported 3 keys.\n'));
    expect(await list(to)).to.deep.equal(await list(from));
    expect(await exported(to)).to.equal(text);
  });

  it('write a file, and read it', async () => {
    await create('--plan', 'free');
    const file = join(from, 'keys.ndjson');
    const run = await petstore(['keys', 'export', file], { directory: from });
    expect(run).to.deep.equal(success(`Exported 1 key to ${file}.\n`));
    expect(readFileSync(file, 'utf8')).to.equal(await exported());
    const summary = await petstoreJson(['keys', 'import', file], { directory: to });
    expect(summary).to.deep.equal({ validLines: 1, invalidLines: 0, imported: 1 });
  });

  it('report every invalid line, and import nothing', async () => {
    await create('--plan', 'free');
    const [line = ''] = (await exported()).split('\n');
    const invalid = line.replace('"free"', '"gold"').replace(/"tokenSha256":"../, '"tokenSha256":"XY');
    expect(await importText(`${line}\n\n${invalid}\n{"token":"x"}\nnot a key\n`)).to.deep.equal({
      exitCode: 1,
      stdout: 'Invalid lines: 3. Nothing was imported.\n',
      stderr:
        'Line 3: `tokenSha256` must have 64 hexadecimal digits. `plan` must be one of: free, pro, business, enterprise.\n' +
        'Line 4: Missing field `id`. Missing field `tokenSha256`. Missing field `name`. Missing field `quotaId`. ' +
        'Missing field `plan`. Missing field `createdAt`. Unknown field `token`; allowed: `id`, `tokenSha256`, ' +
        '`name`, `quotaId`, `plan`, `requestsPerMinute`, `requestsPerDay`, `createdAt`, `expiresAt`, `revokedAt`, ' +
        '`rotatedAt`, `lastUsedAt`.\n' +
        'Line 5: The line is not valid JSON: expected a value, at character 1.\n',
    });
    expect(readdirSync(to)).to.deep.equal([]);
    const { stdout } = await importText(invalid, '--json');
    expect(JSON.parse(stdout)).to.deep.equal({ validLines: 0, invalidLines: 1, imported: 0 });
  });

  it('reject names, times and limits that `keys create` rejects', async () => {
    await createCustom();
    const line = await exported();
    const name = '`name` must have 1 to 100 characters that are not all blank.';
    const time = 'must have a time like 2026-11-20T12:00:00.000Z.';
    const cases: readonly (readonly [part: RegExp, invalid: string, message: string])[] = [
      [/"shop"/, '" "', name],
      [/"shop"/, `"${'x'.repeat(101)}"`, name],
      [/"shop"/, '"a\\u0000b"', name],
      [/"createdAt":"[^"]*"/, '"createdAt":"2026-06-30T23:59:60.000Z"', `\`createdAt\` ${time}`],
      [/(?="createdAt")/, '"revokedAt":"2026-06-30T23:59:60.000Z",', `\`revokedAt\` ${time}`],
      [/(?="createdAt")/, '"expiresAt":"2026-02-31T00:00:00.000Z",', `\`expiresAt\` ${time}`],
      [/"requestsPerDay":50,/, '', 'Fields requestsPerMinute and requestsPerDay must be set together.'],
      [/:50,/, ':1000000000000000,', '`requestsPerDay` must be an integer from 1 to 999999999999999.'],
    ];
    const lines = cases.map(([part, invalid]) => line.replace(part, invalid));
    const messages = cases.map(([, , message], index) => `Line ${String(index + 1)}: ${message}\n`);
    expect((await importText(lines.join(''))).stderr).to.equal(messages.join(''));
    expect(readdirSync(to)).to.deep.equal([]);
    expect((await importText(line.replace('"shop"', `"${'x'.repeat(100)}"`))).exitCode).to.equal(0);
  });

  it('import nothing if a key, its token or its quota exists already or occurs twice', async () => {
    await create('--plan', 'free');
    const text = await exported();
    const another = text.replace(/"key_\w+"/, '"key_other"');
    const otherToken = another.replace(/"tokenSha256":"../, '"tokenSha256":"00').replace('key_other', 'key_third');
    for (const added of [text, another, otherToken.replace('"free"', '"pro"')])
      expect(await importText(text + added)).to.deep.equal(rejected);
    expect(await list(to)).to.deep.equal([]);
    expect((await importText(text)).exitCode).to.equal(0);
    expect(await importText(otherToken)).to.deep.equal(rejected);
  });

  it('import no key whose limits do not fit its plan', async () => {
    const [pro, custom] = [await create('--plan', 'pro'), await createCustom()];
    const [proLine = '', customLine = ''] = (await exported()).split('\n');
    const limits = '"requestsPerMinute":5,"requestsPerDay":50,';
    const problems = {
      [proLine.replace(/(?="createdAt")/, limits)]:
        `${pro.id} is invalid: the limits of the plan pro are fixed; leave them out`,
      [customLine.replace(limits, '')]:
        `${custom.id} is invalid: the plan enterprise requires limits per minute and per day`,
    };
    for (const [line, problem] of Object.entries(problems))
      expect(await importText(line)).to.deep.equal(failure(`the key ${problem}; nothing was imported`));
    expect(await list(to)).to.deep.equal([]);
  });
});

function describeConcurrentImports(createOptions: () => Promise<RunOptions>): void {
  it('imports keys of concurrent imports once, whatever their order, and reports to the others that they exist', async () => {
    const options = await createOptions();
    await petstore(['migrate'], options);
    const lines = Array.from({ length: 1000 }, (_, index) => {
      const number = String(index);
      const own = { id: `key_${number}`, tokenSha256: number.padStart(64, '0'), quotaId: `quota_${number}` };
      return JSON.stringify({ ...own, name: 'shop', plan: 'free', createdAt: '2026-11-20T12:00:00.000Z' });
    });
    const files = [lines, lines.toReversed(), lines, lines.toReversed()].map((file) => file.join('\n'));
    const runs = await Promise.all(files.map((stdin) => petstore(['keys', 'import', '-'], { ...options, stdin })));
    expect(runs).to.have.deep.members([success('Imported 1,000 keys.\n'), rejected, rejected, rejected]);
    expect(await petstoreJson(['keys', 'list'], options)).to.have.lengthOf(1000);
  });
}

describe('petstore keys import into SQLite', () => {
  describeConcurrentImports(() => Promise.resolve({ directory: temporaryDirectory() }));
});

describePostgres('petstore keys import into PostgreSQL', () => {
  describeConcurrentImports(async () => ({ env: { DATABASE_URL: await (await sharedPostgres()).createDatabase() } }));
});
