import { expect } from 'chai';
import fc from 'fast-check';
import { type JsonValue, parseJson } from '#src/json/exact-json.js';
import { int64Max, int64Min } from '#src/json/int64.js';
import type { PetStatus } from '#src/pets/pet.js';
import type { PageRequest, PetPage, PetStore } from '#src/pets/pet-store.js';
import { anyName } from '../support/any-name.js';
import { rex } from '../support/pets.js';

/** An engine with an empty catalogue. */
export interface PetStoreEngine {
  readonly pets: PetStore;
  /** The same catalogue as another process sees it. */
  readonly elsewhere: PetStore;
  /** Deletes a pet in the database. The service never does. */
  remove(id: number): Promise<void>;
  /** Closes the database and opens it again. */
  restart(): Promise<PetStoreEngine>;
  close(): Promise<void>;
}

const statuses = ['available', 'pending', 'sold'] as const satisfies readonly PetStatus[];
const everything = { limit: 2000, status: undefined, afterId: 0 } as const;

function read(json: string): JsonValue {
  return parseJson(Buffer.from(json));
}

async function pageOf(pets: PetStore, request: PageRequest): Promise<{ pets: JsonValue; lastId: number | undefined }> {
  const page = await pets.list(request);
  return { pets: read(page.pets), lastId: page.lastId };
}

/** The guarantees of every PetStore. */
export function describePetStore(createEngine: () => Promise<PetStoreEngine>): void {
  describe('PetStore', () => {
    let engine: PetStoreEngine;
    let pets: PetStore;
    beforeEach(async () => {
      engine = await createEngine();
      ({ pets } = engine);
    });
    afterEach(() => engine.close());

    describe('insert', () => {
      it('resolves when the pet is visible to every process', async () => {
        const id = await pets.insert(rex);
        expect(read((await engine.elsewhere.find(id)) ?? '')).to.deep.equal({ id, ...rex });
      });

      it('assigns increasing ids from 1, also across a restart', async () => {
        const ids = [await pets.insert(rex), await pets.insert(rex), await pets.insert(rex)];
        engine = await engine.restart();
        ids.push(await engine.pets.insert(rex), await engine.elsewhere.insert(rex));
        expect(ids[0]).to.equal(1);
        expect(ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? NaN))).to.equal(true);
      });

      it('never reuses an id, not even that of a deleted last pet after a restart', async () => {
        await pets.insert(rex);
        const last = await pets.insert(rex);
        await engine.remove(last);
        expect(await pets.insert(rex)).to.be.above(last);
        await engine.remove(last + 1);
        engine = await engine.restart();
        expect(await engine.pets.insert(rex)).to.be.above(last + 1);
      });

      it('creates 1,000 pets at once, each with a unique id', async () => {
        const ids = await Promise.all(
          Array.from({ length: 1000 }, (_, index) =>
            pets.insert({ ...rex, name: `pet ${String(index)}`, categoryId: index }),
          ),
        );
        expect(new Set(ids).size).to.equal(1000);
        const expected = ids.map((id, index) => ({
          id,
          name: `pet ${String(index)}`,
          categoryId: index,
          status: 'available',
        }));
        const { pets: found } = await pageOf(engine.elsewhere, everything);
        expect(found).to.deep.equal(expected.sort((one, other) => one.id - other.id));
      });

      it('creates pets from two processes at once', async () => {
        const ids = await Promise.all(
          Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? pets : engine.elsewhere).insert(rex)),
        );
        expect(new Set(ids).size).to.equal(100);
      });

      it('lets a concurrent pagination miss no pet, whichever process creates it', async () => {
        const writing = { isDone: false };
        const writers = [pets, engine.elsewhere, pets, engine.elsewhere].map(async (store) => {
          const ids: number[] = [];
          while (ids.length < 50) ids.push(await store.insert(rex));
          return ids;
        });
        const added = Promise.all(writers).finally(() => (writing.isDone = true));
        const seen: number[] = [];
        for (;;) {
          const wasDone = writing.isDone;
          const { pets: page } = await pageOf(pets, { limit: 100, status: 'available', afterId: seen.at(-1) ?? 0 });
          seen.push(...(page as { id: number }[]).map(({ id }) => id));
          if (wasDone && (page as unknown[]).length === 0) break;
          await new Promise((resolve) => setImmediate(resolve));
        }
        expect(seen).to.deep.equal((await added).flat().sort((one, other) => one - other));
      });

      it('fails only the pet that cannot be stored', async () => {
        const tooLarge = { ...rex, categoryId: int64Max + 1n };
        const results = await Promise.allSettled([rex, tooLarge, rex, rex].map((pet) => pets.insert(pet)));
        expect(results.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
        const { pets: found } = await pageOf(pets, everything);
        expect(found).to.have.lengthOf(3);
      });

      it('stores every name and every category id exactly', async () => {
        const pet = fc.record({
          name: anyName(255),
          categoryId: fc.bigInt(int64Min, int64Max),
          status: fc.constantFrom(...statuses),
        });
        await fc.assert(
          fc.asyncProperty(fc.array(pet, { minLength: 1, maxLength: 20 }), async (batch) => {
            const ids = await Promise.all(batch.map((one) => pets.insert(one)));
            for (const [index, one] of batch.entries()) {
              const found = read((await pets.find(ids[index] ?? 0)) ?? '') as { categoryId: number | bigint };
              expect({ ...found, categoryId: BigInt(found.categoryId) }).to.deep.equal({ id: ids[index], ...one });
            }
          }),
          { numRuns: 20 },
        );
        for (const categoryId of [int64Min, int64Max, 2n ** 53n + 1n, 0, -1, Number.MAX_SAFE_INTEGER]) {
          const id = await pets.insert({ ...rex, categoryId });
          expect(await pets.find(id)).to.contain(`"categoryId":${String(categoryId)},`);
        }
      });
    });

    describe('find', () => {
      it('accepts any 64-bit integer, and returns undefined for an unknown id', async () => {
        await pets.insert(rex);
        for (const id of [0, -1, 2, Number.MAX_SAFE_INTEGER, int64Min, int64Max, 2n ** 53n + 1n]) {
          expect(await pets.find(id), String(id)).to.equal(undefined);
        }
        expect(await pets.find(1n))
          .to.equal(await pets.find(1))
          .and.to.be.a('string');
      });

      it('returns its pet to each of many concurrent requests', async () => {
        await Promise.all(Array.from({ length: 5 }, (_, index) => pets.insert({ ...rex, categoryId: index })));
        const ids = [3, 1, 99, 3, 5n, 2, int64Max, 4];
        const found = await Promise.all(ids.map((id) => pets.find(id)));
        const alone: (string | undefined)[] = [];
        for (const id of ids) alone.push(await pets.find(id));
        expect(found).to.deep.equal(alone);
        expect(found.map((json) => json && (read(json) as { id: number }).id)).to.deep.equal([
          3,
          1,
          undefined,
          3,
          5,
          2,
          undefined,
          4,
        ]);
      });
    });

    describe('list', () => {
      const model: { id: number; name: string; categoryId: number; status: PetStatus }[] = [];

      beforeEach(async () => {
        // The three statuses have unequal shares, and there are gaps between the ids.
        const added = Array.from({ length: 120 }, (_, index) => statuses[index % 7 < 5 ? 0 : index % 7 === 5 ? 1 : 2]);
        const ids = await Promise.all(added.map((status, index) => pets.insert({ ...rex, categoryId: index, status })));
        model.length = 0;
        added.forEach((status, index) => model.push({ id: ids[index] ?? 0, name: 'Rex', categoryId: index, status }));
        model.sort((one, other) => one.id - other.id);
        for (const removed of model.splice(40, 15)) await engine.remove(removed.id);
      });

      it('returns the same page as a model, wherever it begins', async () => {
        const request = fc.record({
          limit: fc.integer({ min: 1, max: 130 }),
          status: fc.constantFrom(undefined, ...statuses),
          afterId: fc.oneof(fc.nat(140), fc.maxSafeNat()),
        });
        await fc.assert(
          fc.asyncProperty(request, async ({ limit, status, afterId }) => {
            const rest = model.filter((pet) => pet.id > afterId && (status === undefined || pet.status === status));
            const shown = rest.slice(0, limit);
            const lastId = rest.length > limit ? shown.at(-1)?.id : undefined;
            expect(await pageOf(pets, { limit, status, afterId })).to.deep.equal({ pets: shown, lastId });
          }),
        );
      });

      it('returns its page to each of many concurrent requests', async () => {
        const requests = [undefined, ...statuses].flatMap((status) =>
          [0, 30, 0, 1000].map((afterId, index) => ({ status, afterId, limit: 5 + index })),
        );
        const alone: PetPage[] = [];
        for (const request of requests) alone.push(await pets.list(request));
        expect(await Promise.all([...requests, ...requests].map((request) => pets.list(request)))).to.deep.equal([
          ...alone,
          ...alone,
        ]);
        expect(new Set(alone.map((page) => page.pets)).size).to.be.greaterThan(8);
      });

      it('returns every pet page by page, with pets that are created meanwhile at the end', async () => {
        for (const status of [undefined, ...statuses]) {
          const walked: unknown[] = [];
          let afterId: number | undefined = 0;
          while (afterId !== undefined) {
            const page = await pageOf(pets, { limit: 7, status, afterId });
            walked.push(...(page.pets as unknown[]));
            if (afterId === 0) model.push({ id: await pets.insert(rex), ...rex, categoryId: 7 });
            afterId = page.lastId;
          }
          expect(walked).to.deep.equal(model.filter((pet) => status === undefined || pet.status === status));
        }
      });

      it('returns an empty page if there are no pets', async () => {
        const afterId = model.at(-1)?.id ?? 0;
        expect(await pageOf(pets, { limit: 5, status: undefined, afterId })).to.deep.equal({
          pets: [],
          lastId: undefined,
        });
      });
    });
  });
}
