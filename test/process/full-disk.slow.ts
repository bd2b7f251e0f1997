import { expect } from 'chai';
import { TroubledClient } from '../support/clients/outage-client.js';
import { fillDisk, freeDisk, mountSmallDisk, unmount } from '../support/mounts.js';
import { createUnlimitedKey, ServerProcess } from '../support/servers/server-process.js';
import { readStoredPets } from '../support/sqlite/stored-pets.js';

const diskBytes = 64 * 2 ** 20;
const creatorCount = 4;
const readerCount = 4;
const [fullAtSecond, freedAtSecond, endsAtSecond] = [20, 40, 60];
/** The service recovers by itself within this time. */
const recoverySeconds = 5;

/** What clients saw in one second. */
interface Second {
  readonly answers: Record<string, number>;
  slowestMs: number;
  readonly told: string[];
}

describe('A disk that is full for 20 s under load', () => {
  it('costs creations alone, and nothing that was acknowledged: answers per second, to be read by a person', async function () {
    this.timeout(120_000);
    const directory = mountSmallDisk(this, diskBytes);
    const server = await ServerProcess.start({ DATA_DIR: directory });
    const client = new TroubledClient(server.baseUrl, await createUnlimitedKey(directory));
    const seconds: Second[] = Array.from({ length: endsAtSecond + 10 }, () => ({
      answers: {},
      slowestMs: 0,
      told: [],
    }));
    const startedAt = performance.now();
    const now = () => seconds[Math.floor((performance.now() - startedAt) / 1000)] as Second;
    server.onTold((told) => now().told.push(told));

    const goOn = async (ask: () => ReturnType<TroubledClient['list']>, name: string) => {
      while (performance.now() - startedAt < endsAtSecond * 1000) {
        const { status, ms } = await ask();
        const second = now();
        second.answers[`${name} ${String(status)}`] = (second.answers[`${name} ${String(status)}`] ?? 0) + 1;
        second.slowestMs = Math.max(second.slowestMs, ms);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    };
    setTimeout(() => fillDisk(directory), fullAtSecond * 1000);
    setTimeout(() => freeDisk(directory), freedAtSecond * 1000);
    await Promise.all([
      ...Array.from({ length: creatorCount }, () => goOn(() => client.create(), 'create')),
      ...Array.from({ length: readerCount }, () => goOn(() => client.list(), 'list')),
    ]);
    await server.stop();

    const rows = seconds.slice(0, endsAtSecond).map(({ answers, slowestMs, told }, index) => ({
      second: index,
      'create 201': answers['create 201'] ?? 0,
      'create 503': answers['create 503'] ?? 0,
      'list 200': answers['list 200'] ?? 0,
      'slowest (ms)': Math.round(slowestMs),
      told: told.length,
    }));
    console.table(rows);
    console.log(server.told.join('\n'));
    const stored = readStoredPets(directory);
    unmount(directory);

    for (const pet of client.acknowledged.values()) expect(stored.get(pet.id)).to.deep.equal(pet);
    const kinds = new Set(seconds.flatMap(({ answers }) => Object.keys(answers)));
    expect(kinds).to.deep.equal(new Set(['create 201', 'create 503', 'list 200']));
    // What is left of the write-ahead log is still written first.
    const refusedAtSecond = rows.findIndex((row) => row['create 503'] > 0);
    expect(refusedAtSecond).to.be.within(fullAtSecond, freedAtSecond - 5);
    for (const { second, ...row } of rows) {
      expect(row['list 200'], `second ${String(second)}`).to.be.above(0);
      if (second > refusedAtSecond && second < freedAtSecond)
        expect(row['create 201'], `second ${String(second)}`).to.equal(0);
      if (second > freedAtSecond + recoverySeconds) expect(row['create 503'], `second ${String(second)}`).to.equal(0);
    }
    const told = server.told.map((line) =>
      line.replace(/^(\S+\.db) (has been unavailable|is available again).*/, '$1 $2'),
    );
    expect(new Set(told).size, 'nothing is told twice').to.equal(told.length);
    expect(told).to.include.members(['petstore.db has been unavailable', 'petstore.db is available again']);
  });
});
