import { openBeside } from '@contract-server/test-support/fault-injection.js';
import { expect } from 'chai';
import { writeCursor } from '#src/pets/cursor.js';
import type { PetClient } from '../support/clients/pet-client.js';
import { startWithKey } from '../support/servers/server-process.js';

const measurements = 1000;
/** Number of sold pets, evenly distributed over a catalogue of any size; the others are available. */
const soldCount = 40;
/** The median of a page, relative to that of a small catalogue: 1, or the factor of 1000 of a scan. */
const ratioMax = 3;

function fill(directory: string, count: number): void {
  const db = openBeside({ directory });
  db.prepare(
    `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
     INSERT INTO pets (name, category_id, status)
     SELECT 'pet ' || n, n, CASE n % ? WHEN 0 THEN 'sold' ELSE 'available' END FROM numbers`,
  ).run(count, count / soldCount);
  db.close();
}

async function medianMs(client: PetClient, query: string): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < measurements; round += 1) {
    const { text, ms } = await client.get(`/pets?limit=20${query}`);
    times.push(ms);
    if (round === 0) expect(JSON.parse(text), query).to.have.lengthOf(20);
  }
  return times.sort((one, other) => one - other)[measurements / 2] ?? NaN;
}

/** The medians for a catalogue of `count` pets: of its first and last page, and of those of a rare status. */
async function measure(count: number): Promise<number[]> {
  const { directory, server, client } = await startWithKey();
  fill(directory, count);
  const [last, lastSold] = [writeCursor(count - 20, undefined), writeCursor(count / 2, 'sold')];
  const medians: number[] = [];
  for (const query of ['', `&cursor=${last}`, '&status=sold', `&status=sold&cursor=${lastSold}`])
    medians.push(await medianMs(client, query));
  await server.stop();
  return medians;
}

describe('a million pets', () => {
  it('are listed as fast as a thousand', async function () {
    this.timeout(300_000);
    const [few, many] = [await measure(1000), await measure(1_000_000)];
    const ratios = many.map((ms, page) => ms / (few[page] ?? NaN));
    expect(Math.max(...ratios), ratios.join()).to.be.below(ratioMax);
  });
});
