import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { failure, success } from '@contract-server/test-support/cli/command-line.js';
import { toys } from '@contract-server/test-support/cli/toys.js';
import { freePort } from '@contract-server/test-support/machine/free-port.js';
import { describePostgres, sharedPostgres } from '@contract-server/test-support/postgres/postgres.js';
import { describeWithRedis, sharedRedisUrl } from '@contract-server/test-support/redis/redis-server.js';
import { startService } from '@contract-server/test-support/servers/toys-service.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expect } from 'chai';

const check = (env: Readonly<Record<string, string>>) => toys(['serve', '--check'], { env });

describe('toys serve --check', () => {
  it('accepts a data directory without a database, and creates none', async () => {
    const directory = temporaryDirectory();
    const text = `The settings are valid. Checked DATA_DIR ${directory}, which has no database yet.\n`;
    expect(await check({ DATA_DIR: directory })).to.deep.equal(success(text));
    expect(readdirSync(directory)).to.deep.equal([]);
  });

  it('accepts the database of a running server', async () => {
    const { directory } = await startService();
    const text = `The settings are valid. Checked the database ${join(directory, 'toys.db')}.\n`;
    expect(await check({ DATA_DIR: directory })).to.deep.equal(success(text));
  });

  it('exits with 2 for invalid settings, and with 1 for a file that is not a database', async () => {
    const directory = temporaryDirectory();
    const file = join(directory, 'toys.db');
    writeFileSync(file, 'x'.repeat(10_000));
    expect(await check({ PORT: '-1' })).to.include({ exitCode: 2 });
    const reason = `the database ${file} cannot be opened: file is not a database; see DATA_DIR`;
    expect(await check({ DATA_DIR: directory })).to.deep.equal(failure(reason));
  });

  describePostgres('with PostgreSQL', () => {
    it('accepts an empty database, and applies no migration', async () => {
      const server = await sharedPostgres();
      const url = await server.createDatabase();
      expect(await check({ DATABASE_URL: url })).to.include({ exitCode: 0, stderr: '' });
      const tables = "SELECT count(*)::int AS count FROM pg_tables WHERE schemaname = 'public'";
      expect(await server.query(tables, url)).to.deep.equal([{ count: 0 }]);
    });

    it('exits with 1 if it does not respond', async () => {
      const url = `postgres://toys@127.0.0.1:${String(await freePort())}/toys`;
      const { exitCode, stderr } = await check({ DATABASE_URL: url });
      expect(exitCode).to.equal(1);
      expect(stderr).to.match(/^error: PostgreSQL at .* cannot be used: .*; see DATABASE_URL\n$/);
    });
  });

  describeWithRedis('with Redis', () => {
    it('accepts a Redis that responds, and exits with 1 if it does not', async () => {
      const redisUrl = await sharedRedisUrl();
      expect(await check({ REDIS_URL: redisUrl })).to.include({ exitCode: 0, stderr: '' });
      const { exitCode, stderr } = await check({ REDIS_URL: `redis://127.0.0.1:${String(await freePort())}` });
      expect(exitCode).to.equal(1);
      expect(stderr).to.match(/^error: Redis at .* cannot be used: .*; see REDIS_URL\n$/);
    });
  });
});
