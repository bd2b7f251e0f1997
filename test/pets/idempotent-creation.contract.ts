import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { int64Max } from '#src/json/int64.js';
import { deleteExpiredKeys } from '#src/pets/idempotent-creation.js';
import type { NewPet } from '#src/pets/pet.js';
import type { IdempotentRequest, PetStore } from '#src/pets/pet-store.js';
import { rex } from '../support/pets.js';
import type { PetStoreEngine } from './pet-store.contract.js';

const tooLarge: NewPet = { ...rex, categoryId: int64Max + 1n };
const sentAt = Date.parse('2026-11-20T12:00:00Z');
const expiresAt = sentAt + 1000;

function requestOf(changes: Partial<IdempotentRequest> & { readonly body?: string } = {}): IdempotentRequest {
  const { body = 'rex', ...others } = changes;
  return {
    quotaId: 'quota_a',
    key: 'one',
    bodyDigest: createHash('sha256').update(body).digest(),
    sentAt,
    expiresAt,
    ...others,
  };
}

async function countOf(pets: PetStore): Promise<number> {
  const { pets: json } = await pets.list({ limit: 2000, status: undefined, afterId: 0 });
  return (JSON.parse(json) as unknown[]).length;
}

/** The guarantees of every PetStore for retried requests. */
export function describeKeyedCreations(createEngine: () => Promise<PetStoreEngine>): void {
  describe('insertOnce', () => {
    let engine: PetStoreEngine;
    let pets: PetStore;
    beforeEach(async () => {
      engine = await createEngine();
      ({ pets } = engine);
    });
    afterEach(() => engine.close());

    it('creates the pet once, and replays it to requests with the same key and body, in every process', async () => {
      expect(await pets.findReplay(requestOf())).to.equal(undefined);
      expect(await pets.insertOnce(rex, requestOf())).to.deep.equal({ kind: 'created', id: 1 });
      for (const store of [pets, engine.elsewhere]) {
        expect(await store.findReplay(requestOf())).to.deep.equal({ kind: 'replayed', id: 1 });
        expect(await store.insertOnce(rex, requestOf())).to.deep.equal({ kind: 'replayed', id: 1 });
      }
      expect(await countOf(pets)).to.equal(1);
    });

    it('replays after a restart', async () => {
      await pets.insertOnce(rex, requestOf());
      engine = await engine.restart();
      expect(await engine.pets.insertOnce(rex, requestOf())).to.deep.equal({ kind: 'replayed', id: 1 });
      expect(await countOf(engine.pets)).to.equal(1);
    });

    it('detects another body, and creates nothing', async () => {
      await pets.insertOnce(rex, requestOf());
      const other = requestOf({ body: 'mia' });
      expect(await pets.findReplay(other)).to.deep.equal({ kind: 'other body', id: 1 });
      expect(await pets.insertOnce({ ...rex, name: 'Mia' }, other)).to.deep.equal({ kind: 'other body', id: 1 });
      expect(await pets.findReplay(requestOf())).to.deep.equal({ kind: 'replayed', id: 1 });
      expect(await countOf(pets)).to.equal(1);
    });

    it('distinguishes quotas, and keys that differ only in case', async () => {
      const requests = [{}, { quotaId: 'quota_b' }, { key: 'One' }, { quotaId: 'quota_a o', key: 'ne' }].map(requestOf);
      for (const request of requests) expect((await pets.insertOnce(rex, request)).kind).to.equal('created');
      for (const [index, request] of requests.entries()) {
        expect(await pets.findReplay(request)).to.deep.equal({ kind: 'replayed', id: index + 1 });
      }
    });

    it('does not affect pets without a key', async () => {
      await pets.insertOnce(rex, requestOf());
      expect([await pets.insert(rex), await pets.insert(rex)]).to.deep.equal([2, 3]);
    });

    it('creates one pet for requests in one tick, and replays it to the others', async () => {
      const results = await Promise.all(Array.from({ length: 20 }, () => pets.insertOnce(rex, requestOf())));
      const [created, ...others] = results.filter(({ kind }) => kind === 'created');
      expect(others).to.deep.equal([]);
      expect(results.filter(({ kind, id }) => kind === 'replayed' && id === created?.id)).to.have.lengthOf(19);
      expect(await countOf(pets)).to.equal(1);
    });

    it('creates one pet for concurrent requests in two processes, with the same or different bodies', async () => {
      for (let round = 0; round < 20; round += 1) {
        const key = `round ${String(round)}`;
        const results = await Promise.all([
          pets.insertOnce(rex, requestOf({ key })),
          engine.elsewhere.insertOnce(rex, requestOf({ key })),
          engine.elsewhere.insertOnce(rex, requestOf({ key, body: 'mia' })),
        ]);
        expect(new Set(results.map(({ id }) => id)).size, key).to.equal(1);
        expect(
          results.filter(({ kind }) => kind === 'created'),
          key,
        ).to.have.lengthOf(1);
        expect(await countOf(pets)).to.equal(round + 1);
      }
    });

    it('stores no key for a pet that cannot be stored, and fails no other creation of the same tick', async () => {
      const results = await Promise.allSettled([
        pets.insertOnce(rex, requestOf({ key: 'first' })),
        pets.insertOnce(tooLarge, requestOf({ key: 'bad' })),
        pets.insert(rex),
        pets.insertOnce(rex, requestOf({ key: 'last' })),
        pets.insertOnce(rex, requestOf({ key: 'first' })),
      ]);
      expect(results.map(({ status }) => status)).to.deep.equal([
        'fulfilled',
        'rejected',
        'fulfilled',
        'fulfilled',
        'fulfilled',
      ]);
      expect(await countOf(pets)).to.equal(3);
      expect(await pets.findReplay(requestOf({ key: 'bad' }))).to.equal(undefined);
      expect((await pets.insertOnce(rex, requestOf({ key: 'bad' }))).kind).to.equal('created');
    });

    it('replays a request until it expires, to the millisecond, whether or not its key was deleted', async () => {
      await pets.insertOnce(rex, requestOf());
      expect(await pets.findReplay(requestOf({ sentAt: expiresAt - 1 }))).to.deep.equal({ kind: 'replayed', id: 1 });
      const later = requestOf({ sentAt: expiresAt, expiresAt: expiresAt + 1000, body: 'mia' });
      expect(await pets.findReplay(later)).to.equal(undefined);
      expect(await pets.insertOnce(rex, later)).to.deep.equal({ kind: 'created', id: 2 });
      expect(await pets.findReplay(later)).to.deep.equal({ kind: 'replayed', id: 2 });
    });
  });

  describe('deleteExpiredKeys', () => {
    let engine: PetStoreEngine;
    beforeEach(async () => {
      engine = await createEngine();
    });
    afterEach(() => engine.close());

    it('deletes only expired keys, and no pets', async () => {
      const { pets } = engine;
      for (const lifeMs of [1000, 2000, 3000]) {
        await pets.insertOnce(rex, requestOf({ key: String(lifeMs), expiresAt: sentAt + lifeMs }));
      }
      expect(await pets.deleteExpiredKeys(sentAt + 999)).to.equal(0);
      expect(await pets.deleteExpiredKeys(sentAt + 2000)).to.equal(2);
      expect(await pets.deleteExpiredKeys(sentAt + 2000)).to.equal(0);
      expect(await pets.findReplay(requestOf({ key: '1000' }))).to.equal(undefined);
      expect(await pets.findReplay(requestOf({ key: '3000' }))).to.deep.equal({ kind: 'replayed', id: 3 });
      expect(await countOf(pets)).to.equal(3);
    });

    it('deletes thousands of keys, with creations in between', async () => {
      const { pets } = engine;
      // They expire one after the other, so they are deleted in this order.
      const keys = Array.from({ length: 5000 }, (_, index) =>
        requestOf({ key: String(index), expiresAt: expiresAt + index }),
      );
      await Promise.all(keys.map((request) => pets.insertOnce(rex, request)));
      const deletion = deleteExpiredKeys(pets, expiresAt + keys.length);
      await pets.insert(rex);
      expect(await pets.findReplay(requestOf({ key: '3999' }))).to.include({ kind: 'replayed' });
      await deletion;
      expect(await pets.findReplay(requestOf({ key: '3999' }))).to.equal(undefined);
      expect(await pets.findReplay(requestOf({ key: '4000' }))).to.include({ kind: 'replayed' });
      await deleteExpiredKeys(pets, expiresAt + keys.length);
      expect(await pets.findReplay(requestOf({ key: '4999' }))).to.equal(undefined);
      expect(await pets.deleteExpiredKeys(expiresAt + keys.length)).to.equal(0);
    });
  });
}
