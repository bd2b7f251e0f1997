import { createHash } from 'node:crypto';
import { startOfTests } from '@contract-server/test-support/start-of-tests.js';
import { expect } from 'chai';
import { deleteExpiredKeys } from '#src/pets/idempotent-creation.js';
import type { IdempotentRequest, PetStore } from '#src/pets/pet-store.js';
import { int64Max, rex } from '../support/pets.js';
import type { PetStoreEngine } from './pet-store.contract.js';

const expiresAt = startOfTests + 1000;
const replayed = { kind: 'replayed', id: 1 } as const;

function requestOf(changes: Partial<IdempotentRequest> = {}, body = 'rex'): IdempotentRequest {
  const bodyDigest = createHash('sha256').update(body).digest();
  return { quotaId: 'quota_a', key: 'one', bodyDigest, receivedAt: startOfTests, expiresAt, ...changes };
}

async function countOf(pets: PetStore): Promise<number> {
  const { pets: json } = await pets.list({ limit: 10_000, status: undefined, afterId: 0 });
  return (JSON.parse(json) as unknown[]).length;
}

/** The guarantees of every PetStore for retried requests. */
export function describeKeyedCreations(createEngine: () => Promise<PetStoreEngine>): void {
  describe('PetStore with idempotency keys', () => {
    let engine: PetStoreEngine;
    let pets: PetStore;
    beforeEach(async () => {
      engine = await createEngine();
      ({ pets } = engine);
    });

    it('creates the pet once, and replays it to the same request in every process, also after a restart', async () => {
      expect(await pets.findReplay(requestOf())).to.equal(undefined);
      expect(await pets.insertOnce(rex, requestOf())).to.deep.equal({ kind: 'created', id: 1 });
      const stores = [pets, engine.elsewhere];
      for (const store of stores) expect(await store.findReplay(requestOf())).to.deep.equal(replayed);
      for (const store of stores) expect(await store.insertOnce(rex, requestOf())).to.deep.equal(replayed);
      engine = await engine.restart();
      expect(await engine.pets.insertOnce(rex, requestOf())).to.deep.equal(replayed);
      expect(await countOf(engine.pets)).to.equal(1);
    });

    it('detects another body, and creates nothing', async () => {
      await pets.insertOnce(rex, requestOf());
      const other = requestOf({}, 'mia');
      expect(await pets.findReplay(other)).to.deep.equal({ kind: 'other body', id: 1 });
      expect(await pets.insertOnce({ ...rex, name: 'Mia' }, other)).to.deep.equal({ kind: 'other body', id: 1 });
      expect(await pets.findReplay(requestOf())).to.deep.equal(replayed);
      expect(await countOf(pets)).to.equal(1);
    });

    it('distinguishes quotas, and keys that differ only in case', async () => {
      const changes = [{}, { quotaId: 'quota_b' }, { key: 'One' }, { quotaId: 'quota_a o', key: 'ne' }];
      for (const change of changes) expect((await pets.insertOnce(rex, requestOf(change))).kind).to.equal('created');
      for (const [index, change] of changes.entries())
        expect(await pets.findReplay(requestOf(change))).to.deep.equal({ kind: 'replayed', id: index + 1 });
    });

    it('creates one pet for concurrent requests in one or two processes, with the same or different bodies', async () => {
      for (let round = 0; round < 20; round += 1) {
        const key = `round ${String(round)}`;
        const results = await Promise.all([
          ...[1, 2, 3].map(() => pets.insertOnce(rex, requestOf({ key }))),
          engine.elsewhere.insertOnce(rex, requestOf({ key })),
          engine.elsewhere.insertOnce(rex, requestOf({ key }, 'mia')),
        ]);
        expect(new Set(results.map(({ id }) => id)).size, key).to.equal(1);
        expect(results.map(({ kind }) => kind).filter((kind) => kind === 'created')).to.deep.equal(['created']);
        expect(await countOf(pets)).to.equal(round + 1);
      }
    });

    it('stores no key for a pet that cannot be stored, and fails no other creation of the same tick', async () => {
      const results = await Promise.allSettled([
        pets.insertOnce(rex, requestOf({ key: 'first' })),
        pets.insertOnce({ ...rex, categoryId: int64Max + 1n }, requestOf({ key: 'bad' })),
        pets.insert(rex),
        pets.insertOnce(rex, requestOf({ key: 'last' })),
        pets.insertOnce(rex, requestOf({ key: 'first' })),
      ]);
      const rejected = results.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []));
      expect(rejected).to.deep.equal([1]);
      expect(await countOf(pets)).to.equal(3);
      expect(await pets.findReplay(requestOf({ key: 'bad' }))).to.equal(undefined);
      expect((await pets.insertOnce(rex, requestOf({ key: 'bad' }))).kind).to.equal('created');
    });

    it('replays a request until it expires, to the millisecond, whether or not its key was deleted', async () => {
      await pets.insertOnce(rex, requestOf());
      expect(await pets.findReplay(requestOf({ receivedAt: expiresAt - 1 }))).to.deep.equal(replayed);
      const later = requestOf({ receivedAt: expiresAt, expiresAt: expiresAt + 1000 }, 'mia');
      expect(await pets.findReplay(later)).to.equal(undefined);
      expect(await pets.insertOnce(rex, later)).to.deep.equal({ kind: 'created', id: 2 });
      expect(await pets.findReplay(later)).to.deep.equal({ kind: 'replayed', id: 2 });
    });

    it('deletes only expired keys, and no pets', async () => {
      for (const lifeMs of [1000, 2000, 3000])
        await pets.insertOnce(rex, requestOf({ key: String(lifeMs), expiresAt: startOfTests + lifeMs }));
      const counts: number[] = [];
      for (const ageMs of [999, 2000, 2000]) counts.push(await pets.deleteExpiredKeys(startOfTests + ageMs));
      expect(counts).to.deep.equal([0, 2, 0]);
      expect(await pets.findReplay(requestOf({ key: '1000' }))).to.equal(undefined);
      expect(await pets.findReplay(requestOf({ key: '3000' }))).to.deep.equal({ kind: 'replayed', id: 3 });
      expect(await countOf(pets)).to.equal(3);
    });

    it('deletes thousands of keys, with creations in between', async () => {
      // They expire one after the other, so they are deleted in this order.
      const keys = Array.from({ length: 5000 }, (_, index) =>
        requestOf({ key: String(index), expiresAt: expiresAt + index }),
      );
      await Promise.all(keys.map((request) => pets.insertOnce(rex, request)));
      const isStored = async (key: string) => (await pets.findReplay(requestOf({ key }))) !== undefined;
      const deletion = deleteExpiredKeys(pets, expiresAt + keys.length);
      await pets.insert(rex);
      expect(await isStored('3999')).to.equal(true);
      await deletion;
      expect([await isStored('3999'), await isStored('4000')]).to.deep.equal([false, true]);
      await deleteExpiredKeys(pets, expiresAt + keys.length);
      expect(await isStored('4999')).to.equal(false);
      expect(await pets.deleteExpiredKeys(expiresAt + keys.length)).to.equal(0);
    });
  });
}
