import { describePostgres, openTestPostgres, sharedPostgres } from '@contract-server/test-support/postgres/postgres.js';
import { PostgresKeyStore } from '#src/api-keys/postgres-key-store.js';
import { describeKeyStore } from './key-store.contract.js';

describePostgres('PostgreSQL', () => {
  /** Two pools act as two nodes. */
  describeKeyStore(async () => {
    const url = await (await sharedPostgres()).createDatabase();
    const [db, other] = [await openTestPostgres(url), await openTestPostgres(url)];
    return { keys: new PostgresKeyStore(db), elsewhere: new PostgresKeyStore(other) };
  });
});
