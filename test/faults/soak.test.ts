import { randomInt, randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { createToken } from '#contract-server/api-keys/token.js';
import { RawConnection } from '#contract-server-test/support/clients/raw-connection.js';
import { residentMebibytesOf } from '#contract-server-test/support/machine/process-usage.js';
import { send } from '../support/clients/send.js';
import { type ServerProcess, startWithKey } from '../support/servers/server-process.js';
import { readStoredPets } from '../support/sqlite/stored-pets.js';

const soakSeconds = Number(process.env['PETSTORE_SOAK_SECONDS'] ?? 180);
const workers = 16;
/** Between two rows of the report. */
const rowMs = (soakSeconds * 1000) / 15;

/** A kind of request: its name, how often it is sent relative to the others, and its allowed statuses. */
type Kind = readonly [name: string, weight: number, statuses: readonly number[], send: () => Promise<number>];

function mixOf(server: ServerProcess, token: string): Kind[] {
  const get = async (target: string, key = token) => (await send(`${server.baseUrl}${target}`, key)).status;
  const post = async (body: string, headers = {}) =>
    (await send(`${server.baseUrl}/pets`, token, { body, headers })).status;
  const pet = () => JSON.stringify({ name: `pet ${randomUUID()}`, categoryId: randomInt(1_000_000) });
  const completed: [key: string, body: string][] = [['repeated', pet()]];
  const createOnce = async () => {
    const [key, body] = [randomUUID(), pet()];
    const status = await post(body, { 'Idempotency-Key': key });
    if (completed.length < 1000) completed.push([key, body]);
    return status;
  };
  const repeat = () => {
    const [key, body] = completed[randomInt(1, completed.length + 1)] ?? ['none', '{}'];
    return post(body, { 'Idempotency-Key': key });
  };
  const sendMalformed = async () => {
    const connection = await RawConnection.openTo(server);
    connection.send(`${randomUUID()}\r\n\r\n`);
    const { status } = await connection.readResponse();
    connection.end();
    return status;
  };
  const disconnect = async () => {
    const connection = await RawConnection.openTo(server);
    const head = `Host: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 50`;
    connection.send(`POST /v1/pets HTTP/1.1\r\n${head}\r\n\r\n{"name":`);
    await delay(1);
    connection.end();
    return 0;
  };
  return [
    ['get', 30, [200, 404], () => get(`/pets/${String(randomInt(1, 5000))}`)],
    ['list', 20, [200], () => get('/pets?limit=20&status=available')],
    ['create', 10, [201], () => post(pet())],
    ['create with a key', 5, [201], createOnce],
    ['the same again', 3, [201, 400], repeat],
    ['invalid', 10, [400], () => post('{"name":"","categoryId":1.5}')],
    ['malformed', 3, [400], () => post('{"name":')],
    ['too large', 2, [413], () => post(' '.repeat(70_000))],
    ['unknown path', 3, [404], () => get(`/${randomUUID()}`)],
    ['unknown key', 5, [401, 429], () => get('/pets', createToken('pets_live_'))],
    ['malformed HTTP', 5, [400], sendMalformed],
    ['disconnected', 2, [0], disconnect],
  ];
}

function pick(kinds: readonly Kind[]): Kind {
  let left = randomInt(kinds.reduce((sum, [, weight]) => sum + weight, 0));
  const found = kinds.find(([, weight]) => (left -= weight) < 0);
  if (found === undefined) throw new Error('There is nothing to send.');
  return found;
}

describe(`a soak of ${String(soakSeconds)} s`, () => {
  it('returns an allowed status for every request, with constant memory and open files', async function () {
    this.timeout((soakSeconds + 120) * 1000);
    const { directory, server, token } = await startWithKey();
    const kinds = mixOf(server, token);
    const counts: Record<string, number> = {};
    let isOver = false;
    const work = async () => {
      while (!isOver) {
        const [name, , statuses, sendOne] = pick(kinds);
        const status = await sendOne();
        if (!statuses.includes(status)) throw new Error(`${name} returned ${String(status)}.`);
        counts[`${name}: ${String(status)}`] = (counts[`${name}: ${String(status)}`] ?? 0) + 1;
      }
    };
    const working = Promise.all(Array.from({ length: workers }, work));
    const rows: { readonly mebibytes: number; readonly openFiles: number }[] = [];
    for (const startedAt = performance.now(); performance.now() - startedAt < soakSeconds * 1000; ) {
      await Promise.race([delay(rowMs), working]);
      const openFiles = readdirSync(`/proc/${String(server.pid)}/fd`).length;
      rows.push({ mebibytes: Math.round(residentMebibytesOf(server.pid)), openFiles });
    }
    isOver = true;
    await working;
    console.table(rows);
    console.table(counts);
    await server.stop();
    const created = (counts['create: 201'] ?? 0) + (counts['create with a key: 201'] ?? 0);
    expect(readStoredPets(directory).size).to.equal(created);
    // Caches are filled in the first third.
    const [early, late] = [rows[Math.floor(rows.length / 3)], rows.at(-1)];
    expect(late?.mebibytes).to.be.below((early?.mebibytes ?? 0) * 1.25);
    expect(late?.openFiles).to.be.below((early?.openFiles ?? 0) + workers * 2);
  });
});
