import { expect } from 'chai';
import fc from 'fast-check';
import { parseJson } from '#src/json/exact-json.js';
import { int64Max, int64Min } from '#src/json/int64.js';
import type { NewPet } from '#src/pets/pet.js';
import { DuplicateIdsError, type ImportedPet, type PetStore, type PetTransfer } from '#src/pets/pet-store.js';
import { anyName } from '../support/any-name.js';
import { errorOf } from '../support/error-of.js';
import { rex } from '../support/pets.js';

/** An engine with an empty catalogue. */
export interface PetTransferEngine {
  readonly transfer: PetTransfer;
  /** The catalogue as a server in another process sees it. */
  readonly pets: PetStore;
  close(): Promise<void>;
}

async function exported(transfer: PetTransfer): Promise<unknown[]> {
  const pets: unknown[] = [];
  for await (const json of transfer.exportAll()) pets.push(parseJson(Buffer.from(json)));
  return pets;
}

/** The guarantees of every PetTransfer. */
export function describePetTransfer(createEngine: () => Promise<PetTransferEngine>): void {
  describe('PetTransfer', () => {
    let engine: PetTransferEngine;
    let transfer: PetTransfer;
    beforeEach(async () => {
      engine = await createEngine();
      ({ transfer } = engine);
    });
    afterEach(() => engine.close());

    async function bringIn(pets: readonly ImportedPet[]): Promise<number> {
      const staging = transfer.startImport();
      await staging.add(pets);
      return staging.commit();
    }

    it('exports nothing if there are no pets', async () => {
      expect(await exported(transfer)).to.deep.equal([]);
    });

    it('exports every pet in ascending order of id', async () => {
      const pets = Array.from({ length: 2500 }, (_, index) => ({ ...rex, categoryId: index }));
      expect(await bringIn(pets)).to.equal(2500);
      expect(await exported(transfer)).to.deep.equal(pets.map((pet, index) => ({ id: index + 1, ...pet })));
    });

    it('does not block other requests while it exports', async () => {
      await bringIn(Array.from({ length: 1500 }, () => rex));
      let count = 0;
      for await (const _pet of transfer.exportAll()) {
        count += 1;
        if (count === 3) await engine.pets.insert(rex);
      }
      expect(count).to.equal(1501);
    });

    it('imports pets exactly, in the order in which they were added, after existing ones', async () => {
      const last = await engine.pets.insert(rex);
      const pet = fc.record({
        name: anyName(50),
        categoryId: fc.bigInt(int64Min, int64Max),
        status: fc.constantFrom('sold' as const, 'pending' as const),
      });
      const [batch = []] = fc.sample(fc.array(pet, { minLength: 50, maxLength: 80 }), 1);
      const staging = transfer.startImport();
      await staging.add(batch.slice(0, 30));
      await staging.add([]);
      await staging.add(batch.slice(30));
      expect(await staging.commit()).to.equal(batch.length);
      const found = (await exported(transfer)).slice(1) as { categoryId: number | bigint }[];
      const exact = found.map((one) => ({ ...one, categoryId: BigInt(one.categoryId) }));
      expect(exact).to.deep.equal(batch.map((one, index) => ({ id: last + 1 + index, ...one })));
    });

    it('shows no staged pet before the commit, and blocks no other request', async () => {
      const staging = transfer.startImport();
      await staging.add([rex, rex]);
      const id = await engine.pets.insert(rex);
      expect(await exported(transfer)).to.deep.equal([{ id, ...rex }]);
      expect(await staging.commit()).to.equal(2);
      expect(await exported(transfer)).to.have.lengthOf(3);
    });

    it('discards staged pets that are never committed', async () => {
      await transfer.startImport().add([rex, rex]);
      expect(await bringIn([{ ...rex, name: 'Mia' }])).to.equal(1);
      expect(await exported(transfer)).to.deep.equal([{ id: 1, ...rex, name: 'Mia' }]);
    });

    it('stages all pets of a batch or none', async () => {
      const staging = transfer.startImport();
      const rejected = staging.add([rex, { ...rex, categoryId: int64Max + 1n }]);
      expect(
        await rejected.then(
          () => 'added',
          () => 'refused',
        ),
      ).to.equal('refused');
      await staging.add([{ ...rex, name: 'Mia' }]);
      expect(await staging.commit()).to.equal(1);
    });

    it('separates concurrent imports', async () => {
      const [first, second] = [transfer.startImport(), transfer.startImport()];
      await Promise.all([first.add([rex]), second.add([rex, rex])]);
      expect([await first.commit(), await second.commit()]).to.deep.equal([1, 2]);
    });

    it('commits nothing when nothing was added', async () => {
      expect(await transfer.startImport().commit()).to.equal(0);
    });

    describe('imports of pets with ids', () => {
      const greatest = Number.MAX_SAFE_INTEGER - 10;
      const kept = [12, 7, 900, greatest].map((id) => ({ ...rex, id, name: `pet ${String(id)}` }));

      it('keep the ids, in any order, and greater ids are assigned from then on', async () => {
        expect(await bringIn(kept)).to.equal(4);
        expect(await exported(transfer)).to.deep.equal([...kept].sort((one, other) => one.id - other.id));
        expect(await engine.pets.insert(rex)).to.equal(greatest + 1);
        expect(await bringIn([rex])).to.equal(1);
        expect(await engine.pets.insert(rex)).to.equal(greatest + 3);
      });

      it('insert between existing pets, and no id is assigned twice', async () => {
        await bringIn([{ ...rex, id: 100 }]);
        await bringIn([{ ...rex, id: 50 }]);
        expect(await engine.pets.insert(rex)).to.equal(101);
      });

      it('import nothing if ids exist already or occur twice, and name these ids', async () => {
        await bringIn([{ ...rex, id: 900 }]);
        const before = await exported(transfer);
        for (const [pets, ids] of [
          [kept, [900]],
          [
            [...kept.slice(0, 2), ...kept.slice(0, 2)],
            [7, 12],
          ],
          [
            [...kept, { ...rex, id: 7 }],
            [7, 900],
          ],
        ] as const) {
          const error = await errorOf(bringIn(pets));
          expect(error).to.be.instanceOf(DuplicateIdsError).with.deep.property('ids', ids);
        }
        expect(await exported(transfer)).to.deep.equal(before);
        expect(await engine.pets.insert(rex)).to.equal(901);
      });

      it('never share an id with a concurrent creation', async () => {
        const [first] = await Promise.allSettled([
          bringIn([1, 2, 3].map((id) => ({ ...rex, id }))),
          engine.pets.insert(rex),
        ]);
        const ids = (await exported(transfer)).map((pet) => (pet as { id: number }).id);
        expect(ids).to.deep.equal(first.status === 'fulfilled' ? [1, 2, 3, 4] : [1]);
      });
    });

    it('exports pets that can be imported again', async () => {
      await bringIn([rex, { name: '\u0001 "\\ 😀', categoryId: int64Min, status: 'sold' }]);
      const first = (await exported(transfer)) as (NewPet & { id: number })[];
      await bringIn(first.map(({ name, categoryId, status }) => ({ name, categoryId, status })));
      const second = ((await exported(transfer)) as (NewPet & { id: number })[]).slice(2);
      expect(second.map((pet) => ({ ...pet, id: pet.id - 2 }))).to.deep.equal(first);
    });
  });
}
