import { randomInt, randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { createToken } from '#src/api-keys/token.js';
import { type ProcessUsage, usageOf } from '../support/cost/process-usage.js';
import { createUnlimitedKey, ServerProcess } from '../support/servers/server-process.js';
import { readStoredPets } from '../support/sqlite/stored-pets.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const soakSeconds = Number(process.env['PETSTORE_SOAK_SECONDS'] ?? 180);
const workers = 16;
/** Between two rows of the report. */
const rowMs = (soakSeconds * 1000) / 15;

/** One kind of request, and the allowed statuses. */
interface Kind {
  readonly name: string;
  /** How often it is sent, relative to the others. */
  readonly weight: number;
  readonly statuses: readonly number[];
  readonly send: () => Promise<number>;
}

interface Sent {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Row extends ProcessUsage {
  readonly seconds: number;
  readonly requests: number;
}

/** Valid and invalid requests of every kind. */
function mixOf(server: ServerProcess, token: string): Kind[] {
  const sendRequest = async (target: string, { headers = {}, ...sent }: Sent = {}) => {
    const always = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(`${server.baseUrl}${target}`, { ...sent, headers: { ...always, ...headers } });
    await response.arrayBuffer();
    return response.status;
  };
  const post = (body: string, headers = {}) => sendRequest('/pets', { method: 'POST', body, headers });
  const pet = () => JSON.stringify({ name: `pet ${randomUUID()}`, categoryId: randomInt(1_000_000) });
  const completed: { key: string; body: string }[] = [];
  return [
    { name: 'get', weight: 30, statuses: [200, 404], send: () => sendRequest(`/pets/${String(randomInt(1, 5000))}`) },
    { name: 'list', weight: 20, statuses: [200], send: () => sendRequest('/pets?limit=20&status=available') },
    { name: 'create', weight: 10, statuses: [201], send: () => post(pet()) },
    {
      name: 'create with a key',
      weight: 5,
      statuses: [201],
      send: async () => {
        const creation = { key: randomUUID(), body: pet() };
        const status = await post(creation.body, { 'Idempotency-Key': creation.key });
        if (completed.length < 1000) completed.push(creation);
        return status;
      },
    },
    {
      name: 'the same again',
      weight: 3,
      statuses: [201, 400],
      send: () => {
        const { key = '', body = '{}' } = completed[randomInt(completed.length + 1)] ?? {};
        return post(body, key === '' ? {} : { 'Idempotency-Key': key });
      },
    },
    { name: 'invalid', weight: 10, statuses: [400], send: () => post('{"name":"","categoryId":1.5}') },
    { name: 'malformed', weight: 3, statuses: [400], send: () => post('{"name":') },
    { name: 'too large', weight: 2, statuses: [413], send: () => post(' '.repeat(70_000)) },
    { name: 'unknown path', weight: 3, statuses: [404], send: () => sendRequest(`/${randomUUID()}`) },
    {
      name: 'unknown key',
      weight: 5,
      statuses: [401, 429],
      send: () => sendRequest('/pets', { headers: { authorization: `Bearer ${createToken('pets_live_')}` } }),
    },
    { name: 'malformed HTTP', weight: 5, statuses: [400], send: () => sendRaw(server, `${randomUUID()}\r\n\r\n`) },
    { name: 'disconnected', weight: 2, statuses: [0], send: () => leaveEarly(server, token) },
  ];
}

/** The status of the response to some bytes. */
function sendRaw(server: ServerProcess, bytes: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.baseUrl);
    let text = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.setEncoding('latin1').on('data', (chunk) => (text += String(chunk)));
    socket.once('error', reject).once('close', () => resolve(Number(text.split(' ')[1])));
  });
}

/** Sends half of a body, and disconnects. */
function leaveEarly(server: ServerProcess, token: string): Promise<number> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(server.baseUrl);
    const head =
      `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: ` + 'application/json';
    const socket = connect(Number(port), hostname, () => {
      socket.write(`${head}\r\nContent-Length: 50\r\n\r\n{"name":`, () => socket.destroy());
    });
    socket.once('error', () => resolve(0)).once('close', () => resolve(0));
  });
}

function pick(kinds: readonly Kind[]): Kind {
  let left = randomInt(kinds.reduce((sum, { weight }) => sum + weight, 0));
  const found = kinds.find(({ weight }) => (left -= weight) < 0);
  if (found === undefined) throw new Error('There is nothing to send.');
  return found;
}

describe(`a soak of ${String(soakSeconds)} s`, () => {
  it('returns an allowed status for every request, with constant memory and open files', async function () {
    this.timeout((soakSeconds + 120) * 1000);
    const directory = temporaryDirectory();
    const server = await ServerProcess.start({ DATA_DIR: directory });
    const kinds = mixOf(server, await createUnlimitedKey(directory));
    const counts = new Map(kinds.map(({ name }) => [name, new Map<number, number>()]));
    const soak = { requests: 0, isOver: false };
    const work = async () => {
      while (!soak.isOver) {
        const kind = pick(kinds);
        const status = await kind.send();
        const seen = counts.get(kind.name);
        seen?.set(status, (seen.get(status) ?? 0) + 1);
        soak.requests += 1;
        if (!kind.statuses.includes(status)) throw new Error(`${kind.name} returned ${String(status)}.`);
      }
    };
    const working = Promise.all(Array.from({ length: workers }, work)).finally(() => (soak.isOver = true));
    const rows: Row[] = [];
    for (const startedAt = performance.now(); performance.now() - startedAt < soakSeconds * 1000 && !soak.isOver; ) {
      await Promise.race([delay(rowMs), working]);
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      rows.push({ seconds, requests: soak.requests, ...usageOf(server.pid) });
    }
    soak.isOver = true;
    await working;
    console.table(rows);
    console.table(Object.fromEntries([...counts].map(([name, seen]) => [name, Object.fromEntries(seen)])));
    expect(await server.stop()).to.deep.equal({ code: 0, signal: null });
    const created = ['create', 'create with a key'].map((name) => counts.get(name)?.get(201) ?? 0);
    expect(readStoredPets(directory).size).to.equal(created.reduce((sum, count) => sum + count));
    // Caches are filled in the first third.
    const [early, late] = [rows[Math.floor(rows.length / 3)], rows.at(-1)];
    expect(late?.residentMegabytes).to.be.below((early?.residentMegabytes ?? 0) * 1.25);
    expect(late?.openFiles).to.be.below((early?.openFiles ?? 0) + workers * 2);
  });
});
