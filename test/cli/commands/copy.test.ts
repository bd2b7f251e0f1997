import { fileURLToPath } from 'node:url';
import { stringifyJson } from '@contract-server/core/json/exact-json.js';
import type { KeyView } from '@contract-server/test-support/cli/issued-keys.js';
import { openBeside } from '@contract-server/test-support/fault-injection.js';
import { describePostgres, sharedPostgres } from '@contract-server/test-support/postgres/postgres.js';
import type { PostgresServer } from '@contract-server/test-support/postgres/postgres-server.js';
import { startOfTests } from '@contract-server/test-support/start-of-tests.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  failure,
  type IssuedKeyView,
  petstore,
  petstoreJson,
  type RunOptions,
} from '../../support/cli/command-line.js';
import { request } from '../../support/clients/request.js';
import { anyPet, postPet } from '../../support/pets.js';
import { ServerProcess } from '../../support/servers/server-process.js';
import { startService, type TestService } from '../../support/servers/service.js';

const program = fileURLToPath(import.meta.resolve('#src/petstore.js'));
/** A pet with a name that createPet accepts. */
const validPet = anyPet.filter(({ name }) => /\p{L}/u.test(name) && !/\p{Cc}/u.test(name));
const dayMs = 86_400_000;
const countRows = `SELECT (SELECT count(*) FROM api_keys)::int AS keys, (SELECT count(*) FROM pets)::int AS pets`;

/** Fills an embedded store with API keys and 6,000 pets. */
async function fill(directory: string): Promise<void> {
  await petstoreJson(['keys', 'create', '--name', 'shop', '--plan', 'pro'], { directory });
  const db = openBeside({ directory });
  db.exec(`INSERT INTO pets (name, category_id, status)
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 6000)
    SELECT 'pet ' || n, 9223372036854775807 - n, 'sold' FROM numbers`);
  db.close();
}

describePostgres('petstore copy', () => {
  let server: PostgresServer;
  let url: string;
  let directory: string;
  before(async () => (server = await sharedPostgres()));
  beforeEach(async () => {
    url = await server.createDatabase();
    directory = temporaryDirectory();
  });

  const copy = (options: RunOptions = {}) => petstore(['copy', url], { directory, ...options });
  const place = () => `PostgreSQL at 127.0.0.1:${String(server.port)}, database ${new URL(url).pathname.slice(1)}`;

  describe('of a service', () => {
    let embedded: TestService;
    beforeEach(async () => (embedded = await startService({ DATA_DIR: directory })));

    const page = async (service: TestService, token: string) =>
      (await request(service, token).get('/v1/pets?limit=100').expect(200)).text;
    const create = (service: TestService, text: string, key: string) =>
      postPet(service, text, embedded.token).set('Idempotency-Key', key);

    /** Creates a key in each state. */
    async function createKeys(): Promise<void> {
      const clock = { now: startOfTests - 2 * dayMs };
      const keys = (...args: string[]) => petstoreJson<IssuedKeyView>(['keys', ...args], { directory, clock });
      const issue = (...args: string[]) => keys('create', '--name', ' Zoë’s "shop" 🐕 ', ...args);
      await keys('rotate', (await issue('--plan', 'pro', '--expires', '30d')).id);
      await keys('revoke', (await issue('--plan', 'free')).id, '--yes');
      await issue('--plan', 'enterprise', '--per-minute', '5', '--per-day', '999999999999999');
      await issue('--plan', 'free', '--expires', '1d');
    }

    it('moves pets, keys and Idempotency-Keys unchanged, and continues with the next id', async () => {
      for (const pet of fc.sample(validPet, 98)) await postPet(embedded, stringifyJson(pet)).expect(201);
      const text = '{"name":"\\"Rex\\" \\\\N {a,b}, NULL","categoryId":9007199254740993}';
      const first = await create(embedded, text, 'one').expect(201);
      await postPet(embedded, '{"name":"Žofka 🐈","categoryId":-9223372036854775808}').expect(201);
      await createKeys();
      const pets = await page(embedded, embedded.token);
      await embedded.close();
      const keys = await petstoreJson<KeyView[]>(['keys', 'list'], { directory });
      expect(keys.map(({ state }) => state)).to.include.members(['active', 'expired', 'revoked']);

      const result = await petstoreJson(['copy', url], { directory });
      expect(result).to.deep.equal({
        ...{ from: directory, to: place(), notCopied: ['rate_limit_resets', 'rate_limit_windows'] },
        tables: [
          { table: 'api_keys', rows: 6 },
          { table: 'idempotency_keys', rows: 1 },
          { table: 'pets', rows: 100 },
          { table: 'quotas', rows: 5 },
        ],
        ...{ rows: 112, seconds: 0 },
      });
      const shared = { DATABASE_URL: url };
      expect(await petstoreJson<KeyView[]>(['keys', 'list'], { env: shared })).to.deep.equal(keys);

      const service = await startService(shared);
      expect(await page(service, embedded.token)).to.equal(pets);
      const again = await create(service, text, 'one').expect(201);
      expect(again.text).to.equal(first.text);
      expect(again.headers).to.include({ 'idempotent-replayed': 'true' });
      expect((await create(service, text, 'two').expect(201)).body).to.include({ id: 101 });
    });

    it('is refused while the service runs', async () => {
      const message = `another petstore server uses ${directory}/; stop it, or set DATA_DIR to another directory`;
      expect(await copy()).to.deep.equal(failure(message));
      const tables = `SELECT FROM pg_tables WHERE schemaname = 'public'`;
      expect(await server.query(tables, url)).to.deep.equal([]);
    });
  });

  it('prints the tables, the places, and what it does not copy', async () => {
    await fill(directory);
    expect(await copy()).to.deep.equal({
      exitCode: 0,
      stderr: '',
      stdout: `
TABLE              ROWS
api_keys              1
idempotency_keys      0
pets              6,000
quotas                1

Copied 6,002 rows from ${directory} to ${place()} in 0.0 s.
Not copied, because they belong to one node: rate_limit_resets, rate_limit_windows.
`.slice(1),
    });
  });

  it('reports its progress on stderr', async () => {
    await fill(directory);
    let now = startOfTests;
    const slow = await copy({ clock: () => (now += 10_000) });
    expect(slow.exitCode).to.equal(0);
    expect(slow.stderr).to.include('Copied 5,000 of 6,000 rows of pets.\nCopied 6,000 of 6,000 rows of pets.\n');
  });

  it('copies to DATABASE_URL without an argument, which hides the password from other users', async () => {
    await fill(directory);
    const { exitCode } = await petstore(['copy'], { directory, env: { DATABASE_URL: url } });
    expect(exitCode).to.equal(0);
    expect(await server.query(countRows, url)).to.deep.equal([{ keys: 1, pets: 6000 }]);
  });

  it('refuses a database with rows, and changes nothing', async () => {
    await fill(directory);
    expect((await copy()).exitCode).to.equal(0);
    const message = `the table api_keys of ${place()} has rows; delete them, or copy to an empty database`;
    expect(await copy()).to.deep.equal(failure(message));
    expect(await server.query(countRows, url)).to.deep.equal([{ keys: 1, pets: 6000 }]);
  });

  it('exits with 2 without a URL and for an invalid one, whose password it does not repeat', async () => {
    const missing = 'missing the URL of the database; use `petstore copy postgres://user@host/database`';
    expect(await petstore(['copy'], { directory })).to.deep.equal(failure(missing, 2));
    const { exitCode, stderr } = await petstore(['copy', 'mysql://u:secret@h/db'], { directory });
    expect(exitCode).to.equal(2);
    expect(stderr).to.match(/^error: DATABASE_URL=… is invalid; it must be a URL like postgres:\/\/\S+, of one server/);
    expect(stderr).to.not.contain('secret');
  });

  it('exits with 1 and names a database that does not exist', async () => {
    await fill(directory);
    const missing = Object.assign(new URL(url), { pathname: '/nowhere' }).href;
    const { exitCode, stderr } = await petstore(['copy', missing], { directory });
    expect(exitCode).to.equal(1);
    expect(stderr).to.match(
      /^error: PostgreSQL at \S+, database nowhere cannot be used: .+ does not exist; see DATABASE_URL\n$/,
    );
  });

  it('leaves no rows when it is killed, and succeeds when it is repeated', async () => {
    await fill(directory);
    await petstore(['migrate'], { env: { DATABASE_URL: url } });
    await server.query(
      `CREATE FUNCTION block() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN PERFORM pg_advisory_xact_lock_shared(7); RETURN NEW; END $$;
       CREATE TRIGGER block BEFORE INSERT ON pets FOR EACH STATEMENT EXECUTE FUNCTION block();
       ALTER TABLE pets ENABLE ALWAYS TRIGGER block`,
      url,
    );
    const holder = await server.connect(url);
    await holder.query('SELECT pg_advisory_lock(7)');
    const command = new ServerProcess({ DATA_DIR: directory }, { command: [program, 'copy', url] });
    const waiting = `SELECT FROM pg_locks WHERE NOT granted AND locktype = 'advisory'
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
    while ((await server.query(waiting, url)).length === 0);
    await command.crash();
    await holder.end();
    expect((await copy()).exitCode).to.equal(0);
    expect(await server.query(countRows, url)).to.deep.equal([{ keys: 1, pets: 6000 }]);
  });
});
