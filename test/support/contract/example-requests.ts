import { KeyRedactor } from '#src/api-keys/key-redactor.js';
import { readConfig } from '#src/config.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import type { NewPet } from '#src/pets/pet-store.js';
import type { QuotaState } from '#src/rate-limits/decide.js';
import { createService } from '#src/service/create-service.js';
import { RawConnection, sendRaw } from '../clients/raw-connection.js';
import { corruptDatabase, dropTable, forgetKeys, whileLocked } from '../fault-injection.js';
import { issueFreeKey } from '../rate-limits/free-key.js';
import { startService, type TestService } from '../servers/service.js';
import { temporaryDirectory } from '../temporary-directory.js';
import type { ReceivedResponse } from './conformance.js';

/** The base URL of the contract's examples. */
const publicBaseUrl = 'https://api.petstore.example/v1';

export interface SentRequest {
  readonly method?: string;
  /** The request target, `/v1/pets`. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export type ServiceState = 'empty' | 'one pet' | 'two pets' | 'three pets' | 'removed' | 'defective' | 'unavailable';

const petsToInsert: readonly NewPet[] = [
  { name: 'Rex', categoryId: 7, status: 'available' },
  { name: 'Mia', categoryId: -3, status: 'sold' },
  { name: 'Tom', categoryId: -3, status: 'available' },
];
const petCounts: Partial<Record<ServiceState, number>> = { empty: 0, 'two pets': 2, 'three pets': 3 };

/** Sends a request with a valid API key to a new service in this state. */
export async function sendInState(state: ServiceState, sent: SentRequest): Promise<ReceivedResponse> {
  const service = await startService({ PUBLIC_BASE_URL: publicBaseUrl });
  try {
    await prepare(state, service);
    return await send(service, sent);
  } finally {
    await service.close();
  }
}

/** Sends two requests one after the other. Returns the second response. */
export async function sendAfter(first: SentRequest, second: SentRequest): Promise<ReceivedResponse> {
  const service = await startService({ PUBLIC_BASE_URL: publicBaseUrl });
  try {
    await send(service, first);
    return await send(service, second);
  } finally {
    await service.close();
  }
}

/** Sends a request twice while the database is locked. Returns the first response. */
export async function sendTwice(sent: SentRequest): Promise<ReceivedResponse> {
  const service = await startService({ PUBLIC_BASE_URL: publicBaseUrl });
  try {
    return await whileLocked(service, () => Promise.race([send(service, sent), send(service, sent)]));
  } finally {
    await service.close();
  }
}

/** Sends a request with a key of the free plan whose quota has this state. */
export async function sendWithUsage(known: Partial<QuotaState>, sent: SentRequest): Promise<ReceivedResponse> {
  const directory = temporaryDirectory();
  const token = await issueFreeKey(directory, known);
  const service = await startService({ PUBLIC_BASE_URL: publicBaseUrl, DATA_DIR: directory });
  try {
    return await send({ ...service, token }, sent);
  } finally {
    await service.close();
  }
}

async function prepare(state: ServiceState, service: TestService): Promise<void> {
  for (const pet of petsToInsert.slice(0, petCounts[state] ?? 1)) await service.stores.pets.insert(pet);
  if (state === 'removed') service.clock.now = Date.parse('2030-12-05T00:00:00Z');
  if (state === 'defective') dropTable(service, 'api_keys');
  if (state === 'unavailable') corruptDatabase(service);
  forgetKeys(service);
}

function send(
  service: TestService,
  { method = 'GET', target, headers = {}, body = '' }: SentRequest,
): Promise<ReceivedResponse> {
  const all = {
    Host: 'pets.example',
    Authorization: `Bearer ${service.token}`,
    ...(body === '' ? {} : { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) }),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return sendRaw(service, `${method} ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
}

/** Sends a request to a service with MAX_CONCURRENT_REQUESTS=1, while a creation waits for a lock. */
export async function sendWhileBusy(creation: SentRequest, sent: SentRequest): Promise<ReceivedResponse> {
  const service = await startService({ PUBLIC_BASE_URL: publicBaseUrl, MAX_CONCURRENT_REQUESTS: '1' });
  try {
    return await whileLocked(service, async () => {
      void send(service, creation);
      let response = await send(service, sent);
      while (response.status !== 503) response = await send(service, sent);
      return response;
    });
  } finally {
    await service.close();
  }
}

/** Sends an incomplete request to a service with timeouts of milliseconds. */
export async function sendIncomplete(bytes: string): Promise<ReceivedResponse> {
  const contract = await readContract(contractUrl);
  const config = readConfig({ PORT: '0', DATA_DIR: temporaryDirectory() }, contract.document);
  const service = await createService(config, {
    contract,
    redactor: new KeyRedactor(contract.document),
    clock: Date.now,
    report: () => undefined,
  });
  Object.assign(service.server, { headersTimeout: 50, requestTimeout: 100, connectionsCheckingInterval: 20 });
  await service.listen();
  const connection = await RawConnection.open(service);
  try {
    connection.send(bytes);
    return await connection.readResponse();
  } finally {
    connection.end();
    await service.close();
  }
}
