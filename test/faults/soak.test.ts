import { randomInt, randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { RawConnection } from '@contract-server/test-support/clients/raw-connection.js';
import { unknownToken } from '@contract-server/test-support/unknown-token.js';
import { expect } from 'chai';
import { type SentRequest, send } from '../support/clients/send.js';
import { mainScript, type ServerProcess, startWithKey } from '../support/servers/server-process.js';
import { readStoredPets } from '../support/sqlite/stored-pets.js';

const soakSeconds = Number(process.env['PETSTORE_SOAK_SECONDS'] ?? 120);
/** Far below saturation, so that nothing waits. */
const requestsPerSecond = Number(process.env['PETSTORE_SOAK_RATE'] ?? 200);
const rowSeconds = Math.min(60, soakSeconds / 12);
/** After the warm-up, in which caches are filled and code is compiled, the first third is compared with the last. */
const warmUp = 1 / 4;
/** What the medians of the two thirds may differ by, in MB. A leak of 1 kB per request is more in each soak. */
const heapGrowthMax = 1.5;
const residentGrowthMax = 16;
/** On SIGUSR2, the server collects garbage and prints its memory with a number. */
const measuring = `let number = 0; process.on('SIGUSR2', () => {
  gc();
  console.error('memory', (number += 1), JSON.stringify(process.memoryUsage()));
});`;
const command = ['--expose-gc', '--import', `data:text/javascript,${encodeURIComponent(measuring)}`, mainScript];

/** A kind of request: its name, how often it is sent relative to the others, and its allowed statuses. */
type Kind = readonly [name: string, weight: number, statuses: readonly number[], send: () => Promise<number>];

function mixOf(server: ServerProcess, token: string, keepAlive: Agent): Kind[] {
  const sendTo = async (target: string, key = token, sent: SentRequest = {}) =>
    (await send(`${server.baseUrl}${target}`, key, { agent: keepAlive, ...sent })).status;
  const get = (target: string, key = token) => sendTo(target, key);
  const post = (body: string, headers = {}) => sendTo('/pets', token, { body, headers });
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
  const disconnect = async (start: string, rest: string) => {
    const connection = await RawConnection.openTo(server);
    connection.send(`${start} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n${rest}`);
    await delay(randomInt(3));
    connection.end();
    return 0;
  };
  const unfinished = 'Content-Type: application/json\r\nContent-Length: 50\r\n\r\n{"name":';
  return [
    ['get', 30, [200, 404], () => get(`/pets/${String(randomInt(1, 5000))}`)],
    ['list', 15, [200], () => get('/pets?limit=20&status=available')],
    ['list on a new connection', 5, [200], () => sendTo('/pets?limit=20', token, { agent: new Agent() })],
    ['create', 10, [201], () => post(pet())],
    ['create with a key', 5, [201], createOnce],
    ['the same again', 3, [201, 400], repeat],
    ['invalid', 10, [400], () => post('{"name":"","categoryId":1.5}')],
    ['malformed', 3, [400], () => post('{"name":')],
    ['too large', 2, [413], () => post(' '.repeat(70_000))],
    ['unknown path', 3, [404], () => get(`/${randomUUID()}`)],
    ['unknown key', 5, [401, 429], () => get('/pets', unknownToken('pets_live_'))],
    ['malformed HTTP', 5, [400], sendMalformed],
    ['disconnected in the body', 2, [0], () => disconnect('POST /v1/pets', unfinished)],
    ['disconnected before the response', 2, [0], () => disconnect('GET /v1/pets?limit=100', '\r\n')],
  ];
}

function pick(kinds: readonly Kind[]): Kind {
  let left = randomInt(kinds.reduce((sum, [, weight]) => sum + weight, 0));
  const found = kinds.find(([, weight]) => (left -= weight) < 0);
  if (found === undefined) throw new Error('There is nothing to send.');
  return found;
}

/** Sends at a constant rate, whatever the responses take. Resolves with the last response. @throws for any failure. */
async function sendAtRate(seconds: number, sendOne: () => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  const sending: Promise<unknown>[] = [];
  const startedAt = performance.now();
  while (sending.length < seconds * requestsPerSecond && failures.length === 0) {
    sending.push(sendOne().catch((error: unknown) => failures.push(error)));
    await delay(startedAt + (sending.length * 1000) / requestsPerSecond - performance.now());
  }
  await Promise.all(sending);
  if (failures.length > 0) throw failures[0];
}

interface Row {
  /** Memory after a collection, in MB: the heap with its buffers, and what is resident. */
  readonly heap: number;
  readonly resident: number;
  readonly openFiles: number;
}

/** Measures a server without requests, connections and garbage. */
async function measure(server: ServerProcess, number: number): Promise<Row> {
  const printed = new RegExp(`^memory ${String(number)} (\\{.*\\})$`, 'm');
  server.kill('SIGUSR2');
  await server.waitForStderr(printed);
  const memory = JSON.parse(printed.exec(server.stderr)?.[1] ?? '') as NodeJS.MemoryUsage;
  const megabytes = (bytes: number) => Math.round(bytes / 10_000) / 100;
  return {
    heap: megabytes(memory.heapUsed + memory.external),
    resident: megabytes(memory.rss),
    openFiles: readdirSync(`/proc/${String(server.pid)}/fd`).length,
  };
}

/** How much the median of a column in the last third is above the one in the first third. */
function growthOf(rows: readonly Row[], column: keyof Row): number {
  const third = Math.floor(rows.length / 3);
  const medianOf = (some: readonly Row[]) =>
    some.map((row) => row[column]).sort((one, other) => one - other)[Math.floor(some.length / 2)] ?? NaN;
  return medianOf(rows.slice(-third)) - medianOf(rows.slice(0, third));
}

describe(`a soak of ${String(soakSeconds)} s`, () => {
  it('returns an allowed status for every request, with constant memory and open files', async function () {
    this.timeout((soakSeconds * 2 + 120) * 1000);
    const { directory, server, token } = await startWithKey({}, { command });
    const keepAlive = new Agent({ keepAlive: true, maxSockets: 16 });
    const kinds = mixOf(server, token, keepAlive);
    const counts: Record<string, number> = {};
    const sendOne = async () => {
      const [name, , statuses, sendKind] = pick(kinds);
      const status = await sendKind();
      if (!statuses.includes(status)) throw new Error(`${name} returned ${String(status)}.`);
      counts[`${name}: ${String(status)}`] = (counts[`${name}: ${String(status)}`] ?? 0) + 1;
    };
    const rows: Row[] = [];
    while (rows.length < soakSeconds / rowSeconds) {
      await sendAtRate(rowSeconds, sendOne);
      keepAlive.destroy();
      // The server closes its side of the connections.
      await delay(500);
      rows.push(await measure(server, rows.length + 1));
    }
    console.table(rows);
    console.table(counts);
    await server.stop();
    const created = (counts['create: 201'] ?? 0) + (counts['create with a key: 201'] ?? 0);
    expect(readStoredPets(directory).size).to.equal(created);
    const steady = rows.slice(Math.floor(rows.length * warmUp));
    expect(growthOf(steady, 'openFiles'), 'open files').to.be.at.most(0);
    expect(growthOf(steady, 'heap'), 'MB of heap').to.be.at.most(heapGrowthMax);
    expect(growthOf(steady, 'resident'), 'resident MB').to.be.at.most(residentGrowthMax);
  });
});
