import type { KeyStore } from '../api-keys/api-key.js';
import type { StoreTimer } from '../observability/metrics.js';
import type { PetStore } from '../pets/pet-store.js';
import type { RateLimitStore } from '../rate-limits/rate-limit-store.js';

/** A store that measures the duration of each call. */
export function instrumentPetStore(pets: PetStore, time: StoreTimer<keyof PetStore>): PetStore {
  return {
    list: (page) => time('list', () => pets.list(page)),
    find: (id) => time('find', () => pets.find(id)),
    insert: (pet) => time('insert', () => pets.insert(pet)),
    insertOnce: (pet, request) => time('insertOnce', () => pets.insertOnce(pet, request)),
    findReplay: (request) => time('findReplay', () => pets.findReplay(request)),
    deleteExpiredKeys: (now) => time('deleteExpiredKeys', () => pets.deleteExpiredKeys(now)),
  };
}

export function instrumentKeyStore(keys: KeyStore, time: StoreTimer<keyof KeyStore>): KeyStore {
  return {
    insert: (key, tokenHash) => time('insert', () => keys.insert(key, tokenHash)),
    findByHash: (tokenHash) => time('findByHash', () => keys.findByHash(tokenHash)),
    find: (id) => time('find', () => keys.find(id)),
    list: () => time('list', () => keys.list()),
    update: (id, changes) => time('update', () => keys.update(id, changes)),
    rotate: (id, expiresAt, successor, tokenHash) =>
      time('rotate', () => keys.rotate(id, expiresAt, successor, tokenHash)),
    exportAll: () => time('exportAll', () => keys.exportAll()),
    insertAll: (all) => time('insertAll', () => keys.insertAll(all)),
    markUsed: (uses) => time('markUsed', () => keys.markUsed(uses)),
  };
}

export function instrumentRateLimitStore(
  limits: RateLimitStore,
  time: StoreTimer<keyof RateLimitStore>,
): RateLimitStore {
  return {
    consume: (client) => time('consume', () => limits.consume(client)),
    peek: (client) => time('peek', () => limits.peek(client)),
  };
}
