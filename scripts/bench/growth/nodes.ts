import { availableParallelism } from 'node:os';
import { endedCpuUs, familyCpuUsOf } from '../../machine/process-usage.js';
import { type Case, casesOf } from '../cases.js';
import { service } from '../contestants.js';
import { LoadGenerator } from '../load.js';
import { MeasuredServer } from '../measured-server.js';
import { showProgress } from '../progress.js';
import { setStage } from '../stage.js';
import { median, mediansOf } from '../statistics.js';
import { type Backend, startPostgres, startRedis } from './backends.js';

/** The processes behind a response, including the load generator, which shares the cores. */
const parties = ['nodes', 'postgres', 'redis', 'load'] as const;
export type Party = (typeof parties)[number];

/** The cost of one kind of request with a number of nodes: medians of the rounds. */
export interface NodesCost {
  readonly nodeCount: number;
  readonly case: string;
  readonly title: string;
  readonly perSecond: number;
  /** CPU time per request of each party, summed over its processes, in microseconds. */
  readonly cpuUs: Readonly<Record<Party, number>>;
  /** The number of busy cores, and of all cores. */
  readonly coresBusy: number;
  readonly cores: number;
}

interface Fleet {
  readonly nodes: readonly { readonly server: MeasuredServer; readonly generator: LoadGenerator }[];
  readonly postgres: Backend;
  readonly redis: Backend;
}

type Sample = Pick<NodesCost, 'perSecond' | 'cpuUs' | 'coresBusy'>;

interface Effort {
  readonly rounds: number;
  readonly seconds: number;
}

/** What is measured on one PostgreSQL. */
interface Scenario {
  readonly caseNames: readonly string[];
  /** Settings of PostgreSQL, as `name=value`. */
  readonly settings: readonly string[];
  /** Appended to the titles of the cases. */
  readonly suffix: string;
}

const connections = 32;
const nodeCounts = [1, 2, 4];
const scenarios: readonly Scenario[] = [
  { caseNames: ['getPet', 'listPets', 'createPet'], settings: [], suffix: '' },
  // The commits of many real disks and synchronous standbys take this long.
  { caseNames: ['createPet'], settings: ['commit_delay=2000', 'commit_siblings=0'], suffix: ', commits of 2 ms' },
];

/**
 * Measures one node and several nodes in turn, on one PostgreSQL and one Redis. Processes are not pinned to cores,
 * because there are too few.
 */
export async function measureNodes(effort: Effort): Promise<NodesCost[]> {
  const costs: NodesCost[] = [];
  for (const scenario of scenarios) costs.push(...(await measureScenario(scenario, effort)));
  return costs;
}

async function measureScenario(
  { caseNames, settings, suffix }: Scenario,
  { rounds, seconds }: Effort,
): Promise<NodesCost[]> {
  const [postgres, redis] = await Promise.all([startPostgres(settings), startRedis()]);
  const env = { DATABASE_URL: postgres.url, REDIS_URL: redis.url };
  const stage = await setStage({ env });
  const contestant = { ...service, env: { ...service.env, ...env } };
  const start = () => MeasuredServer.start(contestant, stage.directory, undefined);
  const servers = await Promise.all(Array.from({ length: Math.max(...nodeCounts) }, start));
  const fleet = {
    nodes: servers.map((server) => ({ server, generator: new LoadGenerator(undefined) })),
    postgres,
    redis,
  };
  const cases = casesOf(stage).filter(({ name }) => caseNames.includes(name));
  const bar = showProgress(cases.length * nodeCounts.length * (rounds + 1));
  const costs: NodesCost[] = [];
  for (const of of cases) {
    const samples = new Map<number, Sample[]>(nodeCounts.map((count) => [count, []]));
    // The first round only warms up.
    for (let round = 0; round <= rounds; round += 1) {
      for (const nodeCount of nodeCounts) {
        bar.increment({ what: `${of.title}, nodes: ${String(nodeCount)}` });
        const sample = await sampleOf({ ...fleet, nodes: fleet.nodes.slice(0, nodeCount) }, of, seconds);
        if (round > 0) samples.get(nodeCount)?.push(sample);
      }
    }
    for (const [nodeCount, all] of samples)
      costs.push({ nodeCount, case: of.name, title: `${of.title}${suffix}`, ...medianOf(all) });
  }
  bar.stop();
  for (const running of [...servers, postgres, redis]) await running.stop();
  return costs;
}

/** Each node has its own load generator; together they have as many connections as one alone. */
async function sampleOf(fleet: Fleet, of: Case, seconds: number): Promise<Sample> {
  const before = usageOf(fleet);
  const size = { connections: connections / fleet.nodes.length, seconds };
  const results = await Promise.all(fleet.nodes.map(({ server, generator }) => generator.run(server.url, of, size)));
  const after = usageOf(fleet);
  const requests = results.reduce((sum, result) => sum + result.requests, 0);
  const perSecond = results.reduce((sum, result) => sum + result.requests / result.seconds, 0);
  const cpuUs = eachParty((party) => (after[party] - before[party]) / requests);
  return { perSecond, cpuUs, coresBusy: (perSecond * parties.reduce((sum, party) => sum + cpuUs[party], 0)) / 1e6 };
}

function usageOf({ nodes, postgres, redis }: Fleet): Record<Party, number> {
  return {
    nodes: nodes.reduce((sum, { server }) => sum + server.cpuUs, 0),
    postgres: familyCpuUsOf(postgres.pid),
    redis: familyCpuUsOf(redis.pid),
    // Only load generators exit during the measurement.
    load: endedCpuUs(),
  };
}

function medianOf(samples: readonly Sample[]): Sample & Pick<NodesCost, 'cores'> {
  return {
    perSecond: median(samples.map(({ perSecond }) => perSecond)),
    cpuUs: mediansOf(samples.map(({ cpuUs }) => cpuUs)),
    coresBusy: median(samples.map(({ coresBusy }) => coresBusy)),
    cores: availableParallelism(),
  };
}

function eachParty(valueOf: (party: Party) => number): Record<Party, number> {
  return Object.fromEntries(parties.map((party) => [party, valueOf(party)])) as Record<Party, number>;
}
