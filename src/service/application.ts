import type { Clock } from '../lib/clock.js';
import type { WrapStore } from '../observability/metrics.js';
import { type ContractDocument, idempotencyRetentionSecondsOf } from '../openapi/document.js';
import type { Links } from '../openapi/links.js';
import type { Handlers } from '../openapi/types.js';
import { createHandlers } from '../pets/handlers/index.js';
import { deleteExpiredKeys, IdempotentCreation } from '../pets/idempotent-creation.js';
import type { PetStore, PetTransfer } from '../pets/pet-store.js';

/** The stores of the application, which the command line uses too. */
export interface ApplicationStores {
  readonly pets: PetStore;
  readonly transfer: PetTransfer;
}

/** What the service needs to know about its application: the pets. The other modules do not depend on it. */
export function createApplication(
  { pets }: ApplicationStores,
  wrapStore: WrapStore,
  document: ContractDocument,
  clock: Clock,
) {
  const measured = wrapStore('pets', pets);
  const creations = new IdempotentCreation(measured, idempotencyRetentionSecondsOf(document) * 1000, clock);
  return {
    createHandlers: (links: Links): Handlers => createHandlers(measured, creations, links),
    /** Reads what every request needs, whether or not it exists. */
    check: (): Promise<unknown> => pets.list({ limit: 1, status: undefined, afterId: 0 }),
    /** Runs every second. */
    maintain: () => deleteExpiredKeys(pets, clock()),
  };
}
