import { PostgresKeyStore } from '#src/api-keys/postgres-key-store.js';
import { PostgresPetArchive } from '#src/pets/postgres/pet-archive.js';
import { PostgresPetStore } from '#src/pets/postgres/pet-store.js';
import { commandTimeouts } from '#src/service/open-postgres-stores.js';
import { describeKeyStore } from '../../api-keys/key-store.contract.js';
import { describeKeyedCreations } from '../../pets/idempotent-creation.contract.js';
import { describePetArchive } from '../../pets/pet-archive.contract.js';
import { describePetStore, type PetStoreEngine } from '../../pets/pet-store.contract.js';
import { describePgBouncer, PgBouncer } from '../../support/postgres/pgbouncer.js';
import { describePostgres, openTestPostgres, sharedPostgres } from '../../support/postgres/postgres.js';
import { SessionObserver } from '../../support/postgres/session-state.js';

/** How stores reach a database. */
interface Route {
  readonly url: string;
  /** Called after each test, while the connections are open. */
  check(): Promise<unknown>;
  close(): void;
}

/** Two pools act as two nodes. */
async function createPetStore(url: string, route: Route, connectionsMax: number): Promise<PetStoreEngine> {
  const server = await sharedPostgres();
  const [db, other] = [
    await openTestPostgres(route.url, connectionsMax),
    await openTestPostgres(route.url, connectionsMax),
  ];
  const [pets, elsewhere] = [new PostgresPetStore(db), new PostgresPetStore(other)];
  const closeStores = async () => {
    await Promise.all([pets.close(), elsewhere.close()]);
    await route.check();
    await Promise.all([db.close(), other.close()]);
  };
  return {
    pets,
    elsewhere,
    close: async () => {
      await closeStores();
      route.close();
    },
    remove: async (id) => {
      await server.query(`DELETE FROM pets WHERE id = ${String(id)}`, url);
    },
    restart: async () => {
      await closeStores();
      return createPetStore(url, route, connectionsMax);
    },
  };
}

function describeStores(routeTo: (url: string) => Promise<Route>): void {
  const createEmptyPetStore = async (connectionsMax = 10) => {
    const url = await (await sharedPostgres()).createDatabase();
    return createPetStore(url, await routeTo(url), connectionsMax);
  };
  describePetStore(createEmptyPetStore);
  // On one connection statements run in the order in which they are sent. On several, a creation that opens the second
  // one may take longer than all transactions of a `deleteExpiredKeys` that was called before it.
  describeKeyedCreations(() => createEmptyPetStore(1));

  describeKeyStore(async () => {
    const route = await routeTo(await (await sharedPostgres()).createDatabase());
    const [db, other] = [await openTestPostgres(route.url), await openTestPostgres(route.url)];
    const close = async () => {
      await route.check();
      await Promise.all([db.close(), other.close()]);
      route.close();
    };
    return { keys: new PostgresKeyStore(db), elsewhere: new PostgresKeyStore(other), close };
  });

  describePetArchive(async () => {
    const route = await routeTo(await (await sharedPostgres()).createDatabase());
    // A command, next to a server.
    const [db, other] = [await openTestPostgres(route.url, 10, commandTimeouts), await openTestPostgres(route.url)];
    const pets = new PostgresPetStore(other);
    const close = async () => {
      await pets.close();
      await route.check();
      await Promise.all([db.close(), other.close()]);
      route.close();
    };
    return { archive: new PostgresPetArchive(db), pets, close };
  });
}

describePostgres('PostgreSQL, without state in sessions', () => {
  describeStores(async (url) => {
    const observer = await SessionObserver.before((await sharedPostgres()).port);
    return { url: observer.urlOf(url), check: () => observer.requireClean(), close: () => observer.close() };
  });
});

describePgBouncer('PostgreSQL through PgBouncer in transaction mode', () => {
  let pooler: PgBouncer | undefined;
  describeStores(async (url) => {
    pooler ??= await PgBouncer.before((await sharedPostgres()).port);
    return { url: await pooler.urlOf(url), check: () => Promise.resolve(), close: () => undefined };
  });
});
