import { expect } from 'chai';
import { OutageClient } from '../support/clients/outage-client.js';
import { fillDisk, freeDisk, mountSmallDisk, unmount } from '../support/mounts.js';
import { createUnlimitedKey, ServerProcess } from '../support/servers/server-process.js';
import { readStoredPets } from '../support/sqlite/stored-pets.js';

const diskBytes = 64 * 2 ** 20;
const creatorCount = 4;
const readerCount = 4;
const [fullAtSecond, freedAtSecond, endsAtSecond] = [20, 40, 60];
/** The service recovers by itself within this time. */
const recoverySeconds = 5;

/** The responses that clients received in one second. */
interface Second {
  readonly responses: Record<string, number>;
  slowestMs: number;
  readonly reported: string[];
}

describe('a disk that is full for 20 s under load', () => {
  it('fails creations only, and loses no acknowledged pet (prints the responses per second)', async function () {
    this.timeout(120_000);
    const directory = mountSmallDisk(this, diskBytes);
    const server = await ServerProcess.start({ DATA_DIR: directory });
    const client = new OutageClient(server.baseUrl, await createUnlimitedKey(directory));
    const seconds: Second[] = Array.from({ length: endsAtSecond + 10 }, () => ({
      responses: {},
      slowestMs: 0,
      reported: [],
    }));
    const startedAt = performance.now();
    const now = () => seconds[Math.floor((performance.now() - startedAt) / 1000)] as Second;
    server.onOutage((reported) => now().reported.push(reported));

    const goOn = async (sendRequest: () => ReturnType<OutageClient['list']>, name: string) => {
      while (performance.now() - startedAt < endsAtSecond * 1000) {
        const { status, ms } = await sendRequest();
        const second = now();
        second.responses[`${name} ${String(status)}`] = (second.responses[`${name} ${String(status)}`] ?? 0) + 1;
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

    const rows = seconds.slice(0, endsAtSecond).map(({ responses, slowestMs, reported }, index) => ({
      second: index,
      'create 201': responses['create 201'] ?? 0,
      'create 503': responses['create 503'] ?? 0,
      'list 200': responses['list 200'] ?? 0,
      'slowest (ms)': Math.round(slowestMs),
      reported: reported.length,
    }));
    console.table(rows);
    console.log(server.outages.join('\n'));
    const stored = readStoredPets(directory);
    unmount(directory);

    for (const pet of client.acknowledged.values()) expect(stored.get(pet.id)).to.deep.equal(pet);
    const kinds = new Set(seconds.flatMap(({ responses }) => Object.keys(responses)));
    expect(kinds).to.deep.equal(new Set(['create 201', 'create 503', 'list 200']));
    // The allocated space of the write-ahead log is used first.
    const rejectedAtSecond = rows.findIndex((row) => row['create 503'] > 0);
    expect(rejectedAtSecond).to.be.within(fullAtSecond, freedAtSecond - 5);
    for (const { second, ...row } of rows) {
      expect(row['list 200'], `second ${String(second)}`).to.be.above(0);
      if (second > rejectedAtSecond && second < freedAtSecond)
        expect(row['create 201'], `second ${String(second)}`).to.equal(0);
      if (second > freedAtSecond + recoverySeconds) expect(row['create 503'], `second ${String(second)}`).to.equal(0);
    }
    const reported = server.outages.map((line) =>
      line.replace(/^(\S+\.db) (has been unavailable|is available again).*/, '$1 $2'),
    );
    expect(new Set(reported).size, 'nothing is reported twice').to.equal(reported.length);
    expect(reported).to.include.members(['petstore.db has been unavailable', 'petstore.db is available again']);
  });
});
