import { expect } from 'chai';
import fc from 'fast-check';
import { parseJson } from '#contract-server/json/exact-json.js';
import { int64Max } from '#contract-server/json/int64.js';
import { errorOf } from '#contract-server-test/support/error-of.js';
import {
  DuplicateIdsError,
  type ImportedPet,
  type NewPet,
  type PetStore,
  type PetTransfer,
} from '#src/pets/pet-store.js';
import { anyPet, rex } from '../support/pets.js';

/** An engine with an empty catalogue. It is closed after the test. */
export interface PetTransferEngine {
  readonly transfer: PetTransfer;
  /** The catalogue as a server in another process sees it. */
  readonly pets: PetStore;
}

type ExportedPet = NewPet & { readonly id: number };

async function exported(transfer: PetTransfer): Promise<ExportedPet[]> {
  const pets: unknown[] = [];
  for await (const json of transfer.exportAll()) pets.push(parseJson(Buffer.from(json)));
  return pets as ExportedPet[];
}

/** The guarantees of every PetTransfer. */
export function describePetTransfer(createEngine: () => Promise<PetTransferEngine>): void {
  describe('PetTransfer', () => {
    let transfer: PetTransfer;
    let pets: PetStore;
    beforeEach(async () => ({ transfer, pets } = await createEngine()));

    async function importAll(batch: readonly ImportedPet[]): Promise<number> {
      const staging = transfer.startImport();
      await staging.add(batch);
      return staging.commit();
    }

    it('exports and imports nothing if there are no pets', async () => {
      expect(await exported(transfer)).to.deep.equal([]);
      expect(await transfer.startImport().commit()).to.equal(0);
    });

    it('exports every pet in ascending order of id, and does not block other requests meanwhile', async () => {
      const batch = Array.from({ length: 2500 }, (_, index) => ({ ...rex, categoryId: index }));
      expect(await importAll(batch)).to.equal(2500);
      expect(await exported(transfer)).to.deep.equal(batch.map((pet, index) => ({ id: index + 1, ...pet })));
      let count = 0;
      for await (const _pet of transfer.exportAll()) {
        count += 1;
        if (count === 3) await pets.insert(rex);
      }
      expect(count).to.equal(2501);
    });

    it('imports pets exactly, in the order in which they were added, after existing ones', async () => {
      const last = await pets.insert(rex);
      const [batch = []] = fc.sample(fc.array(anyPet, { minLength: 50, maxLength: 80 }), 1);
      const staging = transfer.startImport();
      for (const part of [batch.slice(0, 30), [], batch.slice(30)]) await staging.add(part);
      expect(await staging.commit()).to.equal(batch.length);
      const found = (await exported(transfer)).slice(1);
      expect(found).to.deep.equal(batch.map((one, index) => ({ id: last + 1 + index, ...one })));
      await importAll(found.map(({ id: _id, ...one }) => one));
      await importAll(found.map((one) => ({ ...one, id: one.id + 1000 })));
      const again = (await exported(transfer)).slice(1 + batch.length);
      const expected = [batch.length, 1000].flatMap((distance) =>
        found.map((one) => ({ ...one, id: one.id + distance })),
      );
      expect(again).to.deep.equal(expected);
    });

    it('shows no staged pet before the commit, blocks no other request, and discards what is not committed', async () => {
      const staging = transfer.startImport();
      await staging.add([rex, rex]);
      await transfer.startImport().add([rex]);
      const id = await pets.insert(rex);
      expect(await exported(transfer)).to.deep.equal([{ id, ...rex }]);
      expect(await staging.commit()).to.equal(2);
      expect(await exported(transfer)).to.have.lengthOf(3);
    });

    it('stages all pets of a batch or none', async () => {
      const staging = transfer.startImport();
      expect(await errorOf(staging.add([rex, { ...rex, categoryId: int64Max + 1n }]))).to.be.instanceOf(Error);
      await staging.add([{ ...rex, name: 'Mia' }]);
      expect(await staging.commit()).to.equal(1);
    });

    it('separates concurrent imports', async () => {
      const [first, second] = [transfer.startImport(), transfer.startImport()];
      await Promise.all([first.add([rex]), second.add([rex, rex])]);
      expect([await first.commit(), await second.commit()]).to.deep.equal([1, 2]);
    });

    describe('imports of pets with ids', () => {
      const greatest = Number.MAX_SAFE_INTEGER - 10;
      const kept = [12, 7, 900, greatest].map((id) => ({ ...rex, id, name: `pet ${String(id)}` }));

      it('keep the ids, in any order, and greater ids are assigned from then on', async () => {
        expect(await importAll(kept)).to.equal(4);
        expect(await exported(transfer)).to.deep.equal([...kept].sort((one, other) => one.id - other.id));
        expect(await pets.insert(rex)).to.equal(greatest + 1);
        expect(await importAll([rex])).to.equal(1);
        expect(await importAll([{ ...rex, id: 50 }])).to.equal(1);
        expect(await pets.insert(rex)).to.equal(greatest + 3);
      });

      it('import nothing if ids exist already or occur twice, and name these ids', async () => {
        await importAll([{ ...rex, id: 900 }]);
        const [first, second] = kept as [ImportedPet, ImportedPet];
        for (const { batch, ids } of [
          { batch: kept, ids: [900] },
          { batch: [first, second, first, second], ids: [7, 12] },
          { batch: [...kept, second], ids: [7, 900] },
        ]) {
          const error = await errorOf(importAll(batch));
          expect(error).to.be.instanceOf(DuplicateIdsError).with.deep.property('ids', ids);
        }
        expect(await exported(transfer)).to.deep.equal([{ id: 900, ...rex }]);
        expect(await pets.insert(rex)).to.equal(901);
      });

      it('never share an id with a concurrent creation', async () => {
        const batch = [1, 2, 3].map((id) => ({ ...rex, id }));
        const [imported] = await Promise.allSettled([importAll(batch), pets.insert(rex)]);
        const ids = (await exported(transfer)).map(({ id }) => id);
        expect(ids).to.deep.equal(imported.status === 'fulfilled' ? [1, 2, 3, 4] : [1]);
      });
    });
  });
}
