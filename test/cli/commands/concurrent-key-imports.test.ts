import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { KeyView } from '#src/cli/output/key-views.js';
import { failure, petstore, petstoreJson, type RunOptions, success } from '../../support/cli/command-line.js';
import { describePostgres, sharedPostgres } from '../../support/postgres/postgres.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

let made = 0;

/** A line of a file of keys, and its id. */
function keyLine(quotaId: string, terms: object = { plan: 'free' }) {
  const id = `key_Imported${String((made += 1))}`;
  const tokenSha256 = randomBytes(32).toString('hex');
  const line = { id, tokenSha256, name: 'shop', quotaId, ...terms, createdAt: '2026-11-20T12:00:00.000Z' };
  return { id, text: `${JSON.stringify(line)}\n` };
}

const rejected = failure('a key, its token or its quota already exists; nothing was imported');

function describeImports(createOptions: () => Promise<RunOptions>): void {
  let options: RunOptions;
  beforeEach(async () => {
    options = await createOptions();
    await petstore(['migrate'], options);
  });

  const list = () => petstoreJson<KeyView[]>(['keys', 'list'], options);
  const importText = (stdin: string) => petstore(['keys', 'import', '-'], { ...options, stdin });
  const create = () => petstoreJson<KeyView>(['keys', 'create', '--name', 'app', '--plan', 'pro'], options);

  it('imports the same keys once, in whatever order, and reports to the others that keys exist', async () => {
    const lines = Array.from({ length: 3000 }, (_, index) => keyLine(`quota_${String(index)}`));
    const files = [lines, lines.toReversed(), lines, lines.toReversed()];
    const runs = await Promise.all(files.map((file) => importText(file.map(({ text }) => text).join(''))));
    const winner = runs.findIndex(({ exitCode }) => exitCode === 0);
    const imported = success('Imported 3,000 keys.\n');
    const expected = files.map((_, index) => (index === winner ? imported : rejected));
    expect(runs).to.deep.equal(expected);
    const ids = (await list()).map(({ id }) => id);
    expect(ids.join()).to.equal(files[winner]?.map(({ id }) => id).join());
  });

  it('imports one of two files that give a quota different plans, and keeps its plan', async () => {
    const custom = { plan: 'enterprise', requestsPerMinute: 777, requestsPerDay: 7777 };
    for (let round = 0; round < 5; round += 1) {
      const quotaId = `quota_Round${String(round)}`;
      const files = [keyLine(quotaId), keyLine(quotaId, custom)];
      const runs = await Promise.all(files.map(({ text }) => importText(text)));
      const winner = runs.findIndex(({ exitCode }) => exitCode === 0);
      expect(runs[1 - winner]).to.deep.equal(rejected);
      const sharing = (await list()).filter((key) => key.quotaId === quotaId);
      expect(sharing.map(({ id, plan }) => [id, plan])).to.deep.equal([
        [files[winner]?.id, winner === 0 ? 'free' : 'enterprise'],
      ]);
    }
  });

  it('imports keys while others are created and rotated, each with its own quota', async () => {
    const old = await create();
    const imported = [keyLine('quota_A'), keyLine('quota_B')];
    const [run, created, successor, duplicate] = await Promise.all([
      importText(imported.map(({ text }) => text).join('')),
      create(),
      petstoreJson<KeyView>(['keys', 'rotate', old.id], options),
      importText(keyLine(old.quotaId).text),
    ]);
    expect(run).to.deep.equal(success('Imported 2 keys.\n'));
    expect(duplicate).to.include({ exitCode: 1, stdout: '' });
    expect((await list()).map(({ id, quotaId, plan }) => [id, quotaId, plan])).to.have.deep.members([
      [old.id, old.quotaId, 'pro'],
      [successor.id, old.quotaId, 'pro'],
      [created.id, created.quotaId, 'pro'],
      [imported[0]?.id, 'quota_A', 'free'],
      [imported[1]?.id, 'quota_B', 'free'],
    ]);
  });
}

describe('concurrent `petstore keys import` into SQLite', () => {
  describeImports(() => Promise.resolve({ directory: temporaryDirectory() }));
});

describePostgres('concurrent `petstore keys import` into PostgreSQL', () => {
  describeImports(async () => {
    const env = { DATABASE_URL: await (await sharedPostgres()).createDatabase() };
    return { directory: temporaryDirectory(), env };
  });
});
