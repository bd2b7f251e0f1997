import { once } from 'node:events';
import { connect } from 'node:net';
import { type Case, createPet, getPet } from './cases.js';
import { createCatalogue } from './catalogue.js';
import { rawRequest } from './load.js';
import { type Contest, type Effort, measure, type Result } from './measure.js';
import { type MeasuredServer, service } from './measured-server.js';
import { rootPath } from './paths.js';
import { startStores } from './stores.js';

const connections = [32];
/** Processes that listen on one port. */
const nodesScript = `
  import cluster from 'node:cluster';
  cluster.setupPrimary({ exec: 'dist/main.js', execArgv: ${JSON.stringify(service.args.slice(0, -1))} });
  for (let node = 0; node < Number(process.env.NODES); node += 1) cluster.fork();`;
/** The commits of many disks, and of synchronous standbys, take 2 ms. */
const slowCommits = '?options=-c%20commit_delay%3D2000%20-c%20commit_siblings%3D0';

/** Measures how the cost of a request depends on the numbers of pets, API keys, idle connections and nodes. */
export async function measureGrowth(effort: Effort, isQuick: boolean): Promise<Result[]> {
  // First, so that a missing program is reported before the long part.
  const nodes = await nodesContest();
  return [...(await measure(await sizesContest(isQuick), effort)), ...(await measure(nodes, effort))];
}

async function sizesContest(isQuick: boolean): Promise<Contest> {
  const [pets, keys, idle] = isQuick ? [100_000, 5000, 1000] : [5_000_000, 100_000, 10_000];
  const server = {
    // Collects garbage on SIGUSR2, so that memory can be compared.
    args: ['--expose-gc', '--import', 'data:text/javascript,process.on("SIGUSR2", () => gc())', ...service.args],
    env: { ...service.env, MAX_CONNECTIONS: '100000', MAX_CONNECTIONS_PER_ADDRESS: '0' },
    catalogue: createCatalogue({ pets: 1000 }),
  };
  const larger = (items: number, unit: string, of: Case, catalogue = server.catalogue) => ({
    ...server,
    name: `${items.toLocaleString('en')} ${unit}`,
    measuredIn: [of.name],
    catalogue,
    items,
  });
  const listPets = await listPetsAnywhere();
  const withIdleConnections = larger(idle, 'idle connections', getPet);
  return {
    contestants: [
      { ...server, name: '1,000 pets, 1 key', items: 0 },
      larger(pets, 'pets', listPets, createCatalogue({ pets })),
      // Each request has another key.
      larger(keys, 'keys', getPet, createCatalogue({ pets: 1000, keys })),
      withIdleConnections,
    ],
    cases: [listPets, getPet],
    connections,
    prepare: (started) => openConnections(started, started.contestant === withIdleConnections ? idle : 0),
  };
}

/** Pages from anywhere in the catalogue. */
async function listPetsAnywhere(): Promise<Case> {
  type Cursors = { readonly writeCursor: (afterId: number, status: string) => string };
  // Loaded on demand, so that the scripts compile before the service does.
  const { writeCursor } = (await import(rootPath('dist/pets/cursor.js'))) as Cursors;
  const pageAfter = (id: number) => `/v1/pets?status=sold&limit=20&cursor=${writeCursor(id, 'sold')}`;
  // A complete page follows: of the last 100 pets, a third is sold.
  const pathsOf = (pets: number) =>
    Array.from({ length: 1000 }, (_, index) => pageAfter(((index * 1_000_003) % (pets - 100)) + 1));
  return { name: 'listPets', status: 200, pathsOf };
}

/** Opens connections that receive one response each, and stay idle until the server is stopped. */
async function openConnections(server: MeasuredServer, count: number): Promise<void> {
  const { hostname: host, port } = new URL(server.url);
  const request = rawRequest(getPet, '/v1/pets/1', server.contestant.catalogue.tokens[0]);
  for (let opened = 0; opened < count; opened += 1) {
    const socket = connect({ host, port: Number(port) });
    socket.write(request);
    await once(socket, 'data', { signal: AbortSignal.timeout(1000) });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      if (!server.isStopped()) throw new Error('The server has closed an idle connection.');
    });
  }
}

/** Reads on PostgreSQL and Redis, and creations with slow commits, by one node and by several. */
async function nodesContest(): Promise<Contest> {
  const { env: stores, pids } = await startStores();
  const env = { ...service.env, ...stores, DATABASE_URL: stores.DATABASE_URL + slowCommits };
  const catalogue = createCatalogue({ databaseUrl: stores.DATABASE_URL });
  const contestants = [1, 2, 4].map((nodes) => ({
    name: nodes === 1 ? '1 node' : `${String(nodes)} nodes`,
    args: ['--input-type=module', '--eval', nodesScript],
    env: { ...env, NODES: String(nodes) },
    catalogue,
    measuredIn: nodes === 1 ? ['getPet', 'createPet'] : ['createPet'],
    stores: pids,
  }));
  return { contestants, cases: [getPet, createPet], connections };
}
