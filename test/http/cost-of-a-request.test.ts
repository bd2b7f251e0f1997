import { expect } from 'chai';
import { createToken } from '#src/api-keys/token.js';
import { PlainClients } from '../support/clients/plain-clients.js';
import { CostCounter, type Counts } from '../support/cost/cost-counter.js';
import { startService, type TestService } from '../support/servers/service.js';

/**
 * What requests with a known key, to a service that has been running, cost at most in things that can be counted: a
 * guard of the hot path that needs no stopwatch. In the last two columns 32 arrive in one turn of the event loop, on 32
 * connections. A commit that raises a number must state the reason.
 *
 * - Creations that arrive together share a transaction: 32 statements, BEGIN and COMMIT.
 * - A cached key is not hashed and not looked up. The 401 is that of an unknown key, which is never
 *   remembered.
 * - Promises are those of `await` too; 15 of them are openapi-backend's own, in `handleRequest`.
 */
const costs = `
counted                   | getPet | listPets | createPet | 400  | 401  | 429  | 32 getPet | 32 createPet
statements on petstore.db | 1      | 1        | 3         | 0    | 1    | 0    | 32        | 34
writes to files           | 1      | 1        | 1         | 1    | 0    | 1    | 1         | 1
looks at files            | 0      | 0        | 0         | 0    | 0    | 0    | 0         | 0
hashes                    | 0      | 0        | 0         | 0    | 1    | 0    | 0         | 0
JSON.parse                | 0      | 1        | 0         | 0    | 0    | 0    | 0         | 0
JSON.stringify            | 1      | 1        | 2         | 2    | 1    | 2    | 1         | 33
heads written             | 1      | 1        | 1         | 1    | 1    | 1    | 32        | 32
headers set alone         | 0      | 0        | 0         | 0    | 0    | 0    | 0         | 0
writes to sockets         | 1      | 1        | 1         | 1    | 1    | 1    | 32        | 32
prototypes changed        | 0      | 0        | 0         | 0    | 0    | 0    | 0         | 0
stacks noted              | 0      | 0        | 0         | 0    | 0    | 0    | 0         | 0
copies of bytes           | 0      | 1        | 0         | 0    | 0    | 0    | 0         | 0
immediates                | 1      | 1        | 2         | 1    | 1    | 1    | 2         | 4
timers                    | 2      | 2        | 2         | 2    | 2    | 2    | 64        | 64
promises                  | 44     | 44       | 53        | 40   | 52   | 28   | 1160      | 1231
`;

interface Load {
  readonly request: string;
  readonly status: number;
  readonly connections: number;
}

const warmUps = 2;
/** The tasks that the service runs every second fall into one of them; the minimum is the cost of the requests. */
const repetitions = 4;

const cellsOf = (line = '') => line.split('|').map((cell) => cell.trim());
const [heading, ...lines] = costs.trim().split('\n');
const columns = cellsOf(heading).slice(1);
const rows = lines.map((line) => ({ name: cellsOf(line)[0] ?? '', cells: cellsOf(line).slice(1) }));

describe('the counted costs of a request', () => {
  let service: TestService;
  let counter: CostCounter;
  const measured = new Map<string, Counts>();

  before(async () => {
    // Log lines are written in a separate tick. Requests of a proxy are never spread over several ticks, however
    // slow this process is.
    service = await startService({ LOG_LEVEL: 'warn', TRUST_PROXY: '1' });
    counter = new CostCounter(service.server);
    for (let count = 0; count < 30; count += 1) {
      await service.stores.pets.insert({ name: 'Rex', categoryId: 7, status: 'available' });
    }
    const loads = loadsWith(service.token, await createSpentKey());
    for (const [column, load] of Object.entries(loads)) measured.set(column, await leastOf(load));
  });

  after(() => {
    counter.close();
  });

  async function createSpentKey(): Promise<string> {
    // Its minute limit is high, so that the key is not banned.
    const limits = { requestsPerMinute: 1000, requestsPerDay: 1 };
    const { token } = await service.apiKeyService.create({
      name: 'spent',
      plan: 'enterprise',
      limits,
      expiresAt: undefined,
    });
    await fetch(`${service.baseUrl}/pets`, { headers: { authorization: `Bearer ${token}` } });
    return token;
  }

  async function leastOf(load: Load): Promise<Counts> {
    const clients = await PlainClients.connect(service.server, load.connections);
    const all: Counts[] = [];
    for (let time = 0; time < warmUps + repetitions; time += 1) all.push(await count(clients, load));
    clients.end();
    return Object.fromEntries(
      rows.map(({ name }) => [name, Math.min(...all.slice(warmUps).map((counts) => counts[name] ?? 0))]),
    );
  }

  async function count(clients: PlainClients, { request, status, connections }: Load): Promise<Counts> {
    const { counts, statuses } = await new Promise<{ counts: Counts; statuses: readonly number[] }>((resolve) => {
      // In a separate tick, so that nothing of this function is counted.
      setImmediate(() => {
        counter.start();
        clients.sendRequest(request, (statuses) => resolve({ counts: counter.stop(), statuses }));
      });
    });
    expect(statuses).to.deep.equal(Array.from({ length: connections }, () => status));
    return counts;
  }

  for (const { name, cells } of rows) {
    it(`${name}: at most ${cells.join(', ')}`, () => {
      const counts = columns.map((column) => measured.get(column)?.[name] ?? NaN);
      const more = columns.filter((_, index) => !((counts[index] ?? NaN) <= Number(cells[index])));
      expect(more, `${name}: ${counts.join(' | ')}`).to.deep.equal([]);
    });
  }
});

function loadsWith(token: string, spentToken: string): Record<string, Load> {
  const getPet = { request: requestOf('GET /v1/pets/1', token), status: 200, connections: 1 };
  const createPet = {
    request: requestOf('POST /v1/pets', token, '{"name":"Rex","categoryId":7}'),
    status: 201,
    connections: 1,
  };
  return {
    getPet,
    listPets: { request: requestOf('GET /v1/pets?status=available&limit=20', token), status: 200, connections: 1 },
    createPet,
    '400': { request: requestOf('POST /v1/pets', token, '{"name":"Rex"}'), status: 400, connections: 1 },
    '401': { request: requestOf('GET /v1/pets/1', createToken('pets_live_')), status: 401, connections: 1 },
    '429': { request: requestOf('GET /v1/pets/1', spentToken), status: 429, connections: 1 },
    '32 getPet': { ...getPet, connections: 32 },
    '32 createPet': { ...createPet, connections: 32 },
  };
}

function requestOf(line: string, token: string, body = ''): string {
  const content = body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${String(body.length)}`];
  return [`${line} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${token}`, ...content, '', body].join('\r\n');
}
