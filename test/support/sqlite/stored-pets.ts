import { openBeside } from '@contract-server/test-support/fault-injection.js';
import { expect } from 'chai';
import type { Acknowledged } from '../clients/pet-client.js';

/** Reads every pet in the database of a directory after its server has ended, by id. @throws if the file is damaged. */
export function readStoredPets(directory: string): Map<number, Acknowledged> {
  const db = openBeside({ directory });
  const verdict = db.pragma('integrity_check', { simple: true }) as string;
  const rows = db.prepare<[], Acknowledged>('SELECT id, name, category_id AS categoryId, status FROM pets').all();
  db.close();
  if (verdict !== 'ok') throw new Error(`The database is damaged: ${verdict}`);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Requires every acknowledged pet in the database of a directory. */
export function expectStored(directory: string, acknowledged: readonly Acknowledged[]): void {
  const stored = readStoredPets(directory);
  for (const pet of acknowledged) expect(stored.get(pet.id)).to.deep.equal(pet);
}
