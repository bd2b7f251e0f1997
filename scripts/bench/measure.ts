import type { Case } from './cases.js';
import { sendLoad } from './load.js';
import { type Contestant, type MeasuredServer, startServer } from './measured-server.js';

/** How much is measured. Loads are in seconds. */
export interface Effort {
  readonly rounds: number;
  /** The first load of each case, in which V8 optimizes the server. Node.js 24 needs more of it than Node.js 20. */
  readonly warmUpSeconds: number;
  /** The load directly before each load that is measured: without load, V8 drops code and returns memory. */
  readonly discardedSeconds: number;
  readonly loadSeconds: number;
}

/** Contestants that are measured in turn on the same cases. The first one is the base of ratios. */
export interface Contest {
  readonly contestants: readonly Contestant[];
  readonly cases: readonly Case[];
  readonly connections: readonly number[];
  /** Runs when the servers of a round have started. */
  readonly prepare?: (servers: readonly MeasuredServer[]) => Promise<void>;
}

type Sample = readonly [quantity: string, server: MeasuredServer, value: number, unit: string];

export type Result = ReturnType<typeof summarize>[number];

/** Measures a contest with new processes in each round, because the state of a process affects its speed. */
export async function measure(contest: Contest, effort: Effort): Promise<Result[]> {
  const samples: Sample[] = [];
  for (let round = 1; round <= effort.rounds; round += 1) {
    console.error(`${contest.contestants[0]?.name ?? ''} …: round ${String(round)} of ${String(effort.rounds)}`);
    const servers: MeasuredServer[] = [];
    try {
      // Each round starts another one first, which takes longer.
      for (const contestant of rotate(contest.contestants, round)) servers.push(await startServer(contestant));
      const indexOf = ({ contestant }: MeasuredServer) => contest.contestants.indexOf(contestant);
      servers.sort((one, other) => indexOf(one) - indexOf(other));
      await contest.prepare?.(servers);
      for await (const sample of sendLoads(servers, contest, effort)) samples.push(sample);
      for (const server of servers) samples.push(...(await sizesOf(server, servers[0] ?? server)));
    } finally {
      for (const server of servers) await server.stop();
    }
  }
  return summarize(samples);
}

const rotate = <T>(items: readonly T[], by: number) => [...items.slice(by), ...items.slice(0, by)];

export function takesPart({ contestant }: MeasuredServer, { name }: Case, connections?: number): boolean {
  const isCounted = connections === undefined || (contestant.connections?.includes(connections) ?? true);
  return isCounted && (contestant.cases?.includes(name) ?? true);
}

async function* sendLoads(
  servers: readonly MeasuredServer[],
  contest: Contest,
  effort: Effort,
): AsyncGenerator<Sample> {
  const loads = contest.connections.flatMap((count) => contest.cases.map((of) => ({ of, count })));
  for (const server of servers)
    for (const of of contest.cases.filter((each) => takesPart(server, each)))
      await sendLoad(server, of, contest.connections[0] ?? 1, effort.warmUpSeconds);
  for (const { of, count } of loads) {
    const quantity = `${of.name}, ${String(count)}`;
    for (const server of servers.filter((one) => takesPart(one, of, count))) {
      await sendLoad(server, of, count, effort.discardedSeconds);
      const { cpuUs, perSecond, p99Ms } = await sendLoad(server, of, count, effort.loadSeconds);
      yield [quantity, server, cpuUs, 'µs'];
      yield [`${quantity}, throughput`, server, perSecond, 'requests/s'];
      yield [`${quantity}, p99`, server, p99Ms, 'ms'];
      yield [`${quantity}, memory`, server, server.mebibytes(), 'MiB'];
    }
  }
}

/** What a server needs besides the time of requests. Its items are those that the first server lacks. */
async function sizesOf(server: MeasuredServer, first: MeasuredServer): Promise<Sample[]> {
  const start: Sample[] = [
    ['first response', server, server.startMs, 'ms'],
    ['memory after start', server, server.startMebibytes, 'MiB'],
  ];
  const { items } = server.contestant;
  if (items === undefined) return start;
  const bytes = ((await server.collectedMebibytes()) - (await first.collectedMebibytes())) * 2 ** 20;
  return [...start, ['memory per item', server, bytes / items, 'bytes']];
}

/** Medians, minimums and maximums over the rounds, by quantity and server. */
function summarize(samples: readonly Sample[]) {
  const first = samples[0]?.[1].contestant;
  const valuesOf = (quantity: string, contestant?: Contestant) =>
    samples.filter(([of, server]) => of === quantity && server.contestant === contestant).map(([, , value]) => value);
  const kinds = new Map(samples.map((sample) => [`${sample[0]} ${sample[1].contestant.name}`, sample]));
  return [...kinds.values()].map(([quantity, { contestant }, , unit]) => {
    const [values, base] = [valuesOf(quantity, contestant), valuesOf(quantity, first)];
    const ratio =
      contestant !== first && base.length > 0 && rangeOf(values.map((value, round) => value / (base[round] ?? NaN)));
    return { quantity, unit, server: contestant.name, value: rangeOf(values), ratio };
  });
}

/** The number of rounds is odd. */
function rangeOf(values: readonly number[]) {
  const [median = NaN] = [...values].sort((one, other) => one - other).slice((values.length - 1) / 2);
  return { median, min: Math.min(...values), max: Math.max(...values) };
}
