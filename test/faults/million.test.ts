import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { writeCursor } from '#src/pets/cursor.js';
import { createUnlimitedKey, ServerProcess } from '../support/servers/server-process.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const warmUps = 300;
const measurements = 1000;
/** Number of sold pets, evenly distributed over a catalogue of any size; the others are available. */
const soldCount = 40;

function fill(directory: string, count: number): void {
  const db = new Database(join(directory, 'petstore.db'));
  db.prepare(
    `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
     INSERT INTO pets (name, category_id, status)
     SELECT 'pet ' || n, n, CASE n % ? WHEN 0 THEN 'sold' ELSE 'available' END FROM numbers`,
  ).run(count, count / soldCount);
  db.close();
}

async function medianMs(url: string, token: string): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < warmUps + measurements; round += 1) {
    const startedAt = performance.now();
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    const text = await response.text();
    if (round >= warmUps) times.push(performance.now() - startedAt);
    if (round === 0) expect(JSON.parse(text), url).to.have.lengthOf(20);
  }
  return times.sort((one, other) => one - other)[measurements / 2] ?? NaN;
}

/** The medians for a catalogue of `count` pets, by page. */
async function measure(count: number): Promise<Record<string, number>> {
  const directory = temporaryDirectory();
  const server = await ServerProcess.start({ DATA_DIR: directory });
  const token = await createUnlimitedKey(directory);
  fill(directory, count);
  const pets = `${server.baseUrl}/pets?limit=20`;
  const lastSold = writeCursor(count / 2, 'sold');
  const medians = {
    'first page': await medianMs(pets, token),
    'last page': await medianMs(`${pets}&cursor=${writeCursor(count - 20, undefined)}`, token),
    'first page of a rare status': await medianMs(`${pets}&status=sold`, token),
    'last page of a rare status': await medianMs(`${pets}&status=sold&cursor=${lastSold}`, token),
  };
  await server.stop();
  return medians;
}

describe('a million pets', () => {
  it('are listed as fast as a thousand (prints the median times over HTTP)', async function () {
    this.timeout(300_000);
    const [few, many] = [await measure(1000), await measure(1_000_000)];
    console.table(
      Object.fromEntries(
        Object.entries(many).map(([page, ms]) => {
          const fewMs = few[page] ?? NaN;
          return [
            page,
            { '1,000 (ms)': fewMs.toFixed(3), '1,000,000 (ms)': ms.toFixed(3), ratio: (ms / fewMs).toFixed(2) },
          ];
        }),
      ),
    );
  });
});
