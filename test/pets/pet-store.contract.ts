import { expect } from 'chai';
import { type JsonValue, parseJson } from 'contract-server';
import fc from 'fast-check';
import { toJson } from '#src/pets/columns.js';
import type { NewPet, PageRequest, PetStatus, PetStore } from '#src/pets/pet-store.js';
import { anyPet, creationRequest, int64Max, int64Min, rex } from '../support/pets.js';

/** An engine with an empty catalogue. It is closed after the test. */
export interface PetStoreEngine {
  readonly pets: PetStore;
  /** The same catalogue as another process sees it. */
  readonly elsewhere: PetStore;
  /** Deletes a pet in the database. The service never does. */
  remove(id: number): Promise<unknown>;
  /** Closes the database and opens it again. */
  restart(): Promise<PetStoreEngine>;
}

const statuses = ['available', 'pending', 'sold'] as const satisfies readonly PetStatus[];
const tooLarge = { ...rex, categoryId: int64Max + 1n };

function read(json: string | undefined): JsonValue {
  return parseJson(Buffer.from(json ?? 'null'));
}

async function pageOf(pets: PetStore, changes: Partial<PageRequest> = {}) {
  const page = await pets.list({ limit: 2000, status: undefined, afterId: 0, ...changes });
  return { pets: read(page.pets) as { id: number }[], lastId: page.lastId };
}

const ascending = (one: number, other: number) => one - other;

/** The guarantees of every PetStore. */
export function describePetStore(createEngine: () => Promise<PetStoreEngine>): void {
  describe('PetStore', () => {
    let engine: PetStoreEngine;
    let pets: PetStore;
    beforeEach(async () => {
      engine = await createEngine();
      ({ pets } = engine);
    });

    it('assigns increasing ids from 1, and never reuses one, also after a deletion and a restart', async () => {
      const ids = [await pets.insert(rex), await engine.elsewhere.insert(rex), await pets.insert(rex)];
      await engine.remove(ids.at(-1) ?? 0);
      ids.push(await pets.insert(rex));
      await engine.remove(ids.at(-1) ?? 0);
      engine = await engine.restart();
      ids.push(await engine.pets.insert(rex), await engine.elsewhere.insert(rex));
      expect(ids[0]).to.equal(1);
      expect(ids).to.deep.equal([...new Set(ids)].sort(ascending));
    });

    it('creates 1,000 pets at once, each visible to every process with an id of its own', async () => {
      const all = Array.from({ length: 1000 }, (_, index) => ({ ...rex, name: `pet ${String(index)}` }));
      const stores = [pets, engine.elsewhere];
      const ids = await Promise.all(all.map((pet, index) => (stores[index % 2] as PetStore).insert(pet)));
      const expected = all.map((pet, index) => ({ id: ids[index] as number, ...pet }));
      expected.sort((one, other) => one.id - other.id);
      for (const store of stores) expect((await pageOf(store)).pets).to.deep.equal(expected);
    });

    it('fails only the pet that cannot be stored', async () => {
      const results = await Promise.allSettled([rex, tooLarge, rex, rex].map((pet) => pets.insert(pet)));
      expect(results.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
      expect((await pageOf(pets)).pets).to.have.lengthOf(3);
    });

    it('stores every field exactly, and returns the JSON text of createPet', async () => {
      let keys = 0;
      const insertOnce = async (pet: NewPet) =>
        (await pets.insertOnce(pet, { ...creationRequest, key: String((keys += 1)) })).id;
      await fc.assert(
        fc.asyncProperty(fc.array(anyPet, { minLength: 1, maxLength: 20 }), async (batch) => {
          for (const insert of [(pet: NewPet) => pets.insert(pet), insertOnce]) {
            const ids = await Promise.all(batch.map(insert));
            for (const [index, pet] of batch.entries()) {
              const id = ids[index] as number;
              const json = String(await pets.find(id));
              expect(read(json)).to.deep.equal({ id, ...pet });
              expect(json).to.equal(toJson(id, pet));
              expect((await pets.list({ limit: 1, status: undefined, afterId: id - 1 })).pets).to.equal(`[${json}]`);
            }
          }
        }),
        { numRuns: 20 },
      );
    });

    it('finds a pet by any 64-bit integer, also for many concurrent requests', async () => {
      for (let count = 0; count < 5; count += 1) await pets.insert(rex);
      const unknown = [0, -1, 99, Number.MAX_SAFE_INTEGER, int64Min, int64Max, 2n ** 53n + 1n];
      const found = await Promise.all([3, 1, 3, 5n, ...unknown, 2, 4].map((id) => pets.find(id)));
      const pet = (id: number) => ({ id, ...rex });
      expect(found.map(read)).to.deep.equal([...[3, 1, 3, 5].map(pet), ...unknown.map(() => null), ...[2, 4].map(pet)]);
    });

    describe('list', () => {
      const model: { id: number; name: string; categoryId: number; status: PetStatus }[] = [];
      const modelOf = (status: PetStatus | undefined) =>
        model.filter((pet) => status === undefined || pet.status === status);

      beforeEach(async () => {
        // The three statuses have unequal shares, and there are gaps between the ids.
        const added = Array.from({ length: 120 }, (_, categoryId) => {
          const status = statuses[Math.max(0, (categoryId % 7) - 4)] as PetStatus;
          return { name: 'Rex', categoryId, status };
        });
        const ids = await Promise.all(added.map((pet) => pets.insert(pet)));
        model.splice(0, Infinity, ...added.map((pet, index) => ({ id: ids[index] as number, ...pet })));
        model.sort((one, other) => one.id - other.id);
        for (const removed of model.splice(40, 15)) await engine.remove(removed.id);
      });

      it('returns the same pages as a model to concurrent requests, wherever they begin', async () => {
        const request = fc.record({
          limit: fc.integer({ min: 1, max: 130 }),
          status: fc.constantFrom(undefined, ...statuses),
          afterId: fc.oneof(fc.nat(140), fc.maxSafeNat()),
        });
        await fc.assert(
          fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 8 }), async (requests) => {
            const expected = requests.map(({ limit, status, afterId }) => {
              const rest = modelOf(status).filter((pet) => pet.id > afterId);
              const shown = rest.slice(0, limit);
              return { pets: shown, lastId: rest.length > limit ? shown.at(-1)?.id : undefined };
            });
            expect(await Promise.all(requests.map((one) => pageOf(pets, one)))).to.deep.equal(expected);
          }),
        );
      });

      it('returns every pet page by page, with pets that are created meanwhile at the end', async () => {
        for (const status of [undefined, ...statuses]) {
          const listed: unknown[] = [];
          for (let afterId: number | undefined = 0; afterId !== undefined; ) {
            const page = await pageOf(pets, { limit: 7, status, afterId });
            listed.push(...page.pets);
            if (afterId === 0) model.push({ id: await pets.insert(rex), ...rex, categoryId: 7 });
            afterId = page.lastId;
          }
          expect(listed).to.deep.equal(modelOf(status));
        }
      });
    });
  });
}
