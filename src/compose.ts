import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Config } from './config.js';
import { ContractBackend } from './contract/backend.js';
import { basePathOf, type ContractSource } from './contract/document.js';
import type { KeyStore } from './domain/api-keys.js';
import { Authenticator } from './domain/authenticator.js';
import type { Clock } from './domain/clock.js';
import { KeyRing } from './domain/key-ring.js';
import type { PetArchive, PetStore } from './domain/pets.js';
import { StartError } from './domain/start-error.js';
import { createApp } from './http/app.js';
import { DeprecationHeaders } from './http/deprecation-headers.js';
import { ErrorReplies } from './http/errors.js';
import { createHandlers } from './http/handlers/index.js';
import { Links } from './http/links.js';
import { failures, Pipeline } from './http/pipeline.js';
import { createHttpServer } from './http/server.js';
import { readMigrations } from './storage/migrations.js';
import { openDatabase } from './storage/sqlite/connection.js';
import { SqliteKeyStore } from './storage/sqlite/key-store.js';
import { SqlitePetArchive } from './storage/sqlite/pet-archive.js';
import { SqlitePetStore } from './storage/sqlite/pet-store.js';
import { lockDirectory } from './storage/sqlite/server-lock.js';

/** What a service needs beside its configuration. */
export interface Surroundings {
  readonly contract: ContractSource;
  readonly clock: Clock;
  /** Told about defects and about trouble of the storage. */
  readonly report: (error: unknown) => void;
}

export interface Stores {
  readonly pets: PetStore;
  readonly archive: PetArchive;
  readonly keys: KeyStore;
  /** Lets what is being written settle, then closes. */
  close(): Promise<void>;
}

export interface Service {
  readonly server: Server;
  readonly stores: Stores;
  readonly keyRing: KeyRing;
  /** Resolves with what clients call the service. @throws StartError if the address cannot be had. */
  listen(): Promise<string>;
  /** Takes no more requests, finishes those in flight, then closes the stores. */
  close(): Promise<void>;
}

/** How long a command may wait for a lock that the server holds, in milliseconds. A server never waits on its event loop. */
const commandLockTimeoutMs = 10_000;
/** How long requests in flight may take once the service stops, in milliseconds. */
const drainTimeoutMs = 8000;
/** How often the times of last use of the keys are written down, in milliseconds. */
const keyUseIntervalMs = 60_000;

/** @param role a `server` is the only one on its data directory; a `command` may work beside it. @throws StartError */
export async function openStores(config: Config, role: 'server' | 'command'): Promise<Stores> {
  const directory = config.dataDirectory;
  const migrations = await readMigrations('sqlite');
  const lock = role === 'server' ? lockDirectory(directory) : undefined;
  const lockTimeoutMs = role === 'server' ? 0 : commandLockTimeoutMs;
  const db = openDatabase({ directory, fileName: 'petstore.db', migrations, lockTimeoutMs });
  const pets = new SqlitePetStore(db);
  return {
    pets,
    archive: new SqlitePetArchive(db),
    keys: new SqliteKeyStore(db),
    close: async () => {
      await pets.close();
      db.close();
      lock?.close();
    },
  };
}

export function createKeyRing(config: Config, { keys }: Stores, { contract, clock }: Surroundings): KeyRing {
  return new KeyRing(keys, contract.document['x-rate-limit-plans'], config.keyPrefix, clock);
}

/** Puts the service together. It opens its stores, and does not listen yet. @throws StartError */
export async function compose(config: Config, surroundings: Surroundings): Promise<Service> {
  const { contract, clock, report } = surroundings;
  const stores = await openStores(config, 'server');
  const links = new Links(contract.document, clock);
  const errors = new ErrorReplies(contract.document, report);
  const authenticator = new Authenticator(stores.keys, config.keyPrefix, clock);
  const backend = await new ContractBackend(contract.document, createHandlers(stores.pets, links), failures).init();
  const deprecations = new DeprecationHeaders(links);
  const pipeline = new Pipeline({ backend, authenticator, errors, deprecations, clock });
  const basePath = basePathOf(contract.document);
  const app = createApp({ basePath, pipeline, errors, contractBytes: contract.bytes });
  const server = createHttpServer(app, errors);
  const recording = setInterval(() => void authenticator.recordUses().catch(report), keyUseIntervalMs).unref();
  return {
    server,
    stores,
    keyRing: createKeyRing(config, stores, surroundings),
    listen: async () => {
      const origin = await listen(server, config);
      const baseUrl = config.publicBaseUrl ?? `${origin}${basePath}`;
      links.locate(baseUrl);
      return baseUrl;
    },
    close: async () => {
      clearInterval(recording);
      await stop(server);
      await authenticator.recordUses().catch(report);
      await stores.close();
    },
  };
}

/** Resolves with the origin of the listener's own address. */
async function listen(server: Server, { host, port }: Config): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      reject(
        new StartError(`Cannot listen on ${host} port ${String(port)}: ${error.message}. See HOST and PORT.`, { cause: error }),
      );
    });
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${String(address.port)}`;
}

async function stop(server: Server): Promise<void> {
  if (!server.listening) return;
  const deadline = setTimeout(() => server.closeAllConnections(), drainTimeoutMs);
  await new Promise((resolve) => server.close(resolve));
  clearTimeout(deadline);
}
