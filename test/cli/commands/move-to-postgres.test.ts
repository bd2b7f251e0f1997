import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { petstore, petstoreJson, type RunOptions } from '../../support/cli/command-line.js';
import { describePostgres, sharedPostgres } from '../../support/postgres/postgres.js';
import { startService } from '../../support/servers/service.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const petCount = 100_000;
const names = ['Rex', 'Žofka 🐈', '"quoted" \\ and / slashed', '名前', 'é is not é'];
const statuses = ['available', 'pending', 'sold'];

/** Pets with gaps between their ids, in equal shares of each name, status and kind of category id. */
function* lines(): Generator<string> {
  for (let number = 1; number <= petCount; number += 1) {
    const categoryId = number % 2 === 0 ? `-9223372036854${String(100_000 + number)}` : String(number);
    const name = `${names[number % names.length] ?? ''} ${String(number)}`;
    yield `{"id":${String(3 * number)},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${statuses[number % 3] ?? ''}"}\n`;
  }
}

async function timeOf(run: () => Promise<unknown>): Promise<string> {
  const startedAt = performance.now();
  await run();
  return ((performance.now() - startedAt) / 1000).toFixed(1);
}

describePostgres('moving from the embedded store to PostgreSQL', () => {
  it(`preserves every byte of ${String(petCount)} pets and every key in both directions`, async function () {
    this.timeout(120_000);
    const url = await (await sharedPostgres()).createDatabase();
    const embedded: RunOptions = { directory: temporaryDirectory() };
    const shared: RunOptions = { directory: temporaryDirectory(), env: { DATABASE_URL: url } };
    const back: RunOptions = { directory: temporaryDirectory() };
    const text = [...lines()].join('');
    const files = {
      pets: join(temporaryDirectory(), 'pets.ndjson'),
      keys: join(temporaryDirectory(), 'keys.ndjson'),
    };
    const importAll = (dependencies: RunOptions, file = files.pets) =>
      petstoreJson<{ imported: number }>(['pets', 'import', '--keep-ids', file], dependencies);
    const exported = async (dependencies: RunOptions): Promise<string> => {
      expect((await petstore(['pets', 'export', files.pets], dependencies)).exitCode).to.equal(0);
      return readFileSync(files.pets, 'utf8');
    };

    await importAll({ ...embedded, stdin: Readable.from([Buffer.from(text)]) }, '-');
    const key = ['keys', 'create', '--name', 'shop', '--plan', 'enterprise', '--per-minute', '5', '--per-day', '50'];
    const { token } = await petstoreJson<{ token: string }>(key, embedded);
    expect((await exported(embedded)) === text).to.equal(true);

    const inSeconds = await timeOf(async () => expect(await importAll(shared)).to.include({ imported: petCount }));
    const outSeconds = await timeOf(async () => expect((await exported(shared)) === text).to.equal(true));
    await petstore(['keys', 'export', files.keys], embedded);
    expect((await petstore(['keys', 'import', files.keys], shared)).stdout).to.equal('Imported 1 key.\n');
    await importAll(back);
    expect((await exported(back)) === text).to.equal(true);
    expect((await petstore(['keys', 'export'], shared)).stdout).to.equal(readFileSync(files.keys, 'utf8'));
    console.log(`      ${String(petCount)} pets into PostgreSQL in ${inSeconds} s, out of it in ${outSeconds} s`);

    const service = await startService({ DATABASE_URL: url });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = '{"name":"Ada","categoryId":1}';
    const response = await fetch(`${service.baseUrl}/pets`, { method: 'POST', headers, body });
    expect(await response.json()).to.include({ id: 3 * petCount + 1 });
  });
});
