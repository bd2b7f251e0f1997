import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Chores } from './chores.js';
import type { Config } from './config.js';
import { ContractBackend } from './contract/backend.js';
import {
  basePathOf,
  type ContractDocument,
  type ContractSource,
  idempotencyRetentionSecondsOf,
  type PlanLimits,
} from './contract/document.js';
import { allowOf } from './contract/operation-table.js';
import type { KeyStore } from './domain/api-keys.js';
import { Authenticator } from './domain/authenticator.js';
import type { Clock } from './domain/clock.js';
import { KeyRing } from './domain/key-ring.js';
import type { LimitLedger, LimitStore } from './domain/limit-store.js';
import { PetCreations } from './domain/pet-creations.js';
import type { PetArchive, PetStore } from './domain/pets.js';
import { StartError } from './domain/start-error.js';
import { createApp } from './http/app.js';
import { Capacity } from './http/capacity.js';
import { Connections } from './http/connections.js';
import { Cors } from './http/cors.js';
import { DeprecationHeaders } from './http/deprecation-headers.js';
import { ErrorReplies } from './http/errors.js';
import { FrontDoor } from './http/front-door.js';
import { createHandlers } from './http/handlers/index.js';
import { KeyRedactor } from './http/key-redactor.js';
import { Links } from './http/links.js';
import { failures, Pipeline } from './http/pipeline.js';
import { RateLimiter } from './http/rate-limiter.js';
import { RequestIds } from './http/request-ids.js';
import { createHttpServer } from './http/server.js';
import { WireFaults } from './http/wire-faults.js';
import { WireRules } from './http/wire-rules.js';
import { type LimitJournal, MemoryLimitStore } from './storage/memory/limit-store.js';
import { type Backup, type BackupOptions, backUpDatabase } from './storage/sqlite/backup.js';
import { openSqliteStores, type Role, type Watch } from './storage/sqlite/open-stores.js';

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
  readonly limits: LimitLedger & LimitJournal & { sync(): Promise<void> };
  /** Notices what becomes of the files below, and goes on with what the operator puts there. To be called every second by a server. */
  tend(): void;
  /** Lets what is being written settle, then closes. */
  close(): Promise<void>;
}

/** Where a service that listens is found. */
export interface Addresses {
  /** What clients call it, up to and including the path prefix. */
  readonly baseUrl: string;
  /** The same at the listener's own address, which works on this machine whatever stands before the service elsewhere. */
  readonly ownBaseUrl: string;
  readonly contractUrl: string;
}

export interface Service {
  readonly server: Server;
  readonly stores: Stores;
  readonly keyRing: KeyRing;
  /** Takes requests. @throws StartError if the address cannot be had. */
  listen(): Promise<Addresses>;
  /** Takes no more requests, finishes those in flight, then closes the stores. */
  close(): Promise<void>;
}

/** How often the times of last use of the keys are written down, in milliseconds. */
const keyUseIntervalMs = 60_000;
/** How often the server looks whether an operator lifted a ban, in milliseconds: he is promised 5 s. */
const operatorIntervalMs = 2000;
/** How often the server looks after its files, in milliseconds. It bounds what a power cut may cost of the counters. */
const tendIntervalMs = 1000;
/** How often budgets that are not used any more are forgotten, in milliseconds. */
const sweepIntervalMs = 10 * 60_000;
/** How often requests are forgotten that can no longer be sent again, in milliseconds: often, because each time is short. */
const forgettingIntervalMs = 1000;

/** @param role a `server` is the only one on its data directory; a `command` may work beside it. @throws StartError */
export function openStores(config: Config, role: Role, watch: Watch = unwatched): Promise<Stores> {
  return openSqliteStores(config.dataDirectory, role, watch);
}

/** Copies the database of animals and keys, also while a server runs. @throws BackupError */
export function backUp(config: Config, options: Omit<BackupOptions, 'directory'>): Promise<Backup> {
  return backUpDatabase({ ...options, directory: config.dataDirectory });
}

/** A command says itself what it could not do. */
const unwatched: Watch = { clock: Date.now, report: () => undefined };

export function createKeyRing(config: Config, { keys }: Stores, { contract, clock }: Surroundings): KeyRing {
  return new KeyRing(keys, contract.document['x-rate-limit-plans'], config.keyPrefix, clock);
}

/** Puts the service together. It opens its stores, and does not listen yet. @throws StartError */
export async function compose(config: Config, surroundings: Surroundings): Promise<Service> {
  const stores = await openStores(config, 'server', surroundings);
  try {
    return await composeOver(stores, config, surroundings);
  } catch (error) {
    await stores.close();
    throw error;
  }
}

async function composeOver(stores: Stores, config: Config, surroundings: Surroundings): Promise<Service> {
  const { contract, clock, report } = surroundings;
  const { document } = contract;
  const links = new Links(document, clock);
  const limits = new MemoryLimitStore(document['x-rate-limit-bans'], clock, stores.limits, report);
  const authenticator = new Authenticator(stores.keys, config.keyPrefix, clock);
  const { server, connections } = await composeHttp({ config, surroundings, stores, links, limits, authenticator });
  const chores = new Chores(report);
  chores.every(keyUseIntervalMs, () => authenticator.recordUses());
  chores.every(operatorIntervalMs, () => limits.followOperator());
  chores.every(tendIntervalMs, async () => {
    stores.tend();
    await limits.catchUp();
    await stores.limits.sync();
  });
  chores.every(sweepIntervalMs, () => limits.sweep());
  chores.every(forgettingIntervalMs, () => stores.pets.forgetExpired(clock()));
  return {
    server,
    stores,
    keyRing: createKeyRing(config, stores, surroundings),
    listen: async () => {
      const ownBaseUrl = `${await listen(server, config)}${basePathOf(document)}`;
      const baseUrl = config.publicBaseUrl ?? ownBaseUrl;
      links.locate(baseUrl);
      return { baseUrl, ownBaseUrl, contractUrl: links.toContract() };
    },
    close: async () => {
      await connections.drain(server);
      await chores.stop();
      await authenticator.recordUses().catch(report);
      await limits.close();
      await stores.close();
    },
  };
}

interface HttpParts {
  readonly config: Config;
  readonly surroundings: Surroundings;
  readonly stores: Stores;
  readonly links: Links;
  readonly limits: LimitStore;
  readonly authenticator: Authenticator;
}

/** The server, and the connections that it will have. */
async function composeHttp({ config, surroundings, stores, links, limits, authenticator }: HttpParts) {
  const { contract, clock, report } = surroundings;
  const { document } = contract;
  const redactor = new KeyRedactor(document);
  const errors = new ErrorReplies(document, redactor, report);
  const limiter = new RateLimiter(limits, document['x-rate-limit-plans'], addressPlanOf(document));
  const creations = new PetCreations(stores.pets, idempotencyRetentionSecondsOf(document) * 1000, clock);
  const backend = await new ContractBackend(document, createHandlers(stores.pets, creations, links), failures).init();
  const deprecations = new DeprecationHeaders(links);
  const capacity = new Capacity(config.requestsMax);
  const pipeline = new Pipeline({ backend, authenticator, limiter, errors, deprecations, capacity, clock });
  const { trustProxy, connectionsMax } = config;
  const methods = allowOf(backend.operations.map(({ method }) => method));
  const basePath = basePathOf(document);
  const app = createApp({ basePath, methods, pipeline, errors, trustProxy, contractBytes: contract.bytes });
  const requestIds = new RequestIds(document, redactor);
  const cors = config.corsOrigins.length === 0 ? undefined : new Cors(config.corsOrigins, document);
  const requestLimits = document['x-request-limits'];
  const connections: Connections = new Connections((exchange) => {
    if (exchange.fault === undefined) app(exchange.request, exchange.response);
    else void wireFaults.refuse(exchange, exchange.fault);
  });
  const wireFaults = new WireFaults({ errors, limiter, requestIds, connections, requestLimits, onFault: () => undefined });
  const wireRules = new WireRules(requestLimits);
  const frontDoor = new FrontDoor({ requestIds, connections, wireRules, cors, onEnd: () => undefined });
  return { server: createHttpServer({ app, frontDoor, connections, wireFaults, connectionsMax }), connections };
}

function addressPlanOf(document: ContractDocument): PlanLimits {
  const plan = document['x-rate-limit-plans'][document['x-rate-limit-address-plan']];
  if (plan === 'custom') throw new TypeError('x-rate-limit-address-plan names a plan without numbers.');
  return plan;
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
