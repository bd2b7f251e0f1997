import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describePostgres, sharedPostgres } from '#contract-server-test/support/postgres/postgres.js';
import { temporaryDirectory } from '#contract-server-test/support/temporary-directory.js';
import { petstore, petstoreJson, type RunOptions } from '../../support/cli/command-line.js';
import { startService } from '../../support/servers/service.js';

const petCount = 10_000;
const names = ['Rex', 'Žofka 🐈', '"quoted" \\ and / slashed', '名前', 'é is not é'];
const statuses = ['available', 'pending', 'sold'];

/** A pet with a gap after its id, of one of each name, status and kind of category id. */
function lineOf(number: number): string {
  const categoryId = number % 2 === 0 ? `-9223372036854${String(100_000 + number)}` : String(number);
  const name = JSON.stringify(`${String(names[number % names.length])} ${String(number)}`);
  return `{"id":${String(3 * number)},"name":${name},"categoryId":${categoryId},"status":"${String(statuses[number % 3])}"}\n`;
}

describePostgres('moving from the embedded store to PostgreSQL', () => {
  it('preserves every byte of the pets and every key in both directions', async () => {
    const url = await (await sharedPostgres()).createDatabase();
    const [embedded, back] = [{ directory: temporaryDirectory() }, { directory: temporaryDirectory() }];
    const shared = { directory: temporaryDirectory(), env: { DATABASE_URL: url } };
    const [pets, keys] = ['pets', 'keys'].map((name) => join(temporaryDirectory(), name)) as [string, string];
    const text = Array.from({ length: petCount }, (_, index) => lineOf(index + 1)).join('');
    const importPets = async (options: RunOptions, file = pets) => {
      const summary = await petstoreJson(['pets', 'import', '--keep-ids', file], options);
      expect(summary).to.include({ imported: petCount });
    };
    const exportPets = async (options: RunOptions) => {
      expect((await petstore(['pets', 'export', pets, '--force'], options)).exitCode).to.equal(0);
      expect(readFileSync(pets, 'utf8') === text).to.equal(true);
    };

    await importPets({ ...embedded, stdin: text }, '-');
    const limits = ['--plan', 'enterprise', '--per-minute', '5', '--per-day', '50'];
    const { token } = await petstoreJson<{ token: string }>(['keys', 'create', '--name', 'shop', ...limits], embedded);
    await exportPets(embedded);
    await importPets(shared);
    await exportPets(shared);
    await importPets(back);
    await exportPets(back);
    await petstore(['keys', 'export', keys], embedded);
    expect((await petstore(['keys', 'import', keys], shared)).stdout).to.equal('Imported 1 key.\n');
    expect((await petstore(['keys', 'export'], shared)).stdout).to.equal(readFileSync(keys, 'utf8'));

    const service = await startService({ DATABASE_URL: url });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = '{"name":"Ada","categoryId":1}';
    const response = await fetch(`${service.baseUrl}/pets`, { method: 'POST', headers, body });
    expect(await response.json()).to.include({ id: 3 * petCount + 1 });
  });
});
