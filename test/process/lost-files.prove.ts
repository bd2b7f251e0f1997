import { randomInt } from 'node:crypto';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { createUnlimitedKey, ServerProcess } from '../support/server-process.js';
import { readStoredPets } from '../support/stored-pets.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { TroubledClient } from '../support/troubled-client.js';

const proofSeconds = 90;
const clientCount = 8;

/** What an operator may do to the files by mistake, and undo. */
function mistakesWith(directory: string): readonly (() => unknown)[] {
  const awayForAWhile = async (...paths: string[]) => {
    const present = paths.filter((path) => existsSync(path));
    for (const path of present) renameSync(path, `${path}.away`);
    await delay(randomInt(3000));
    for (const path of present.reverse()) renameSync(`${path}.away`, path);
  };
  const file = join(directory, 'petstore.db');
  return [
    () => awayForAWhile(directory),
    () => awayForAWhile(file),
    () => awayForAWhile(`${file}-wal`, `${file}-shm`, file),
    () => rmSync(`${file}-wal`, { force: true }),
    () => rmSync(`${file}-shm`, { force: true }),
    () => rmSync(join(directory, 'limits.db'), { force: true }),
    () => rmSync(join(directory, 'server.lock'), { force: true }),
  ];
}

describe('Files that are moved away and back under load', () => {
  it('cost no acknowledged animal, and no read', async function () {
    this.timeout((proofSeconds + 60) * 1000);
    const directory = join(temporaryDirectory(), 'data');
    const server = await ServerProcess.start({ DATA_DIR: directory });
    const client = new TroubledClient(server.baseUrl, await createUnlimitedKey(directory));
    const answers: Record<string, number> = {};
    const startedAt = performance.now();
    const isOver = () => performance.now() - startedAt > proofSeconds * 1000;
    const goOn = async () => {
      while (!isOver()) {
        const [created, listed] = [await client.create(), await client.list()];
        for (const name of [`create ${String(created.status)}`, `list ${String(listed.status)}`]) {
          answers[name] = (answers[name] ?? 0) + 1;
        }
        await delay(5);
      }
    };
    const clients = Array.from({ length: clientCount }, goOn);
    const mistakes = mistakesWith(directory);
    let made = 0;
    while (!isOver()) {
      await mistakes[randomInt(mistakes.length)]?.();
      made += 1;
      await delay(randomInt(4000));
    }
    await Promise.all(clients);
    await client.createUntilAcknowledged();
    console.log(`      ${String(made)} mistakes, answers: ${JSON.stringify(answers)}`);
    expect(await server.stop()).to.deep.equal({ code: 0, signal: null });

    const stored = readStoredPets(directory);
    for (const pet of client.acknowledged.values()) expect(stored.get(pet.id)).to.deep.equal(pet);
    expect(Object.keys(answers)).to.have.members(['create 201', 'create 503', 'list 200']);
  });
});
