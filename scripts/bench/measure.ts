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

/** Contestants that are measured one after another on the same cases. The first one is the base of ratios. */
export interface Contest {
  readonly contestants: readonly Contestant[];
  readonly cases: readonly Case[];
  readonly connections: readonly number[];
  /** Runs when a server has started. */
  readonly prepare?: (server: MeasuredServer) => Promise<void>;
}

type Sample = readonly [quantity: string, contestant: Contestant, value: number, unit: string];

export type Result = ReturnType<typeof summarize>[number];

/**
 * Measures a contest with a new process in each round, because the state of a process affects its speed. Servers run
 * one at a time, each with all its loads in succession, because V8 drops the compiled code of an idle server.
 */
export async function measure(contest: Contest, effort: Effort): Promise<Result[]> {
  const samples: Sample[] = [];
  for (let round = 1; round <= effort.rounds; round += 1) {
    for (const contestant of contest.contestants) {
      console.error(`Round ${String(round)} of ${String(effort.rounds)}: ${contestant.name}`);
      const server = await startServer(contestant);
      try {
        await contest.prepare?.(server);
        for await (const [quantity, value, unit] of measureServer(server, contest, effort))
          samples.push([quantity, contestant, value, unit]);
      } finally {
        await server.stop();
      }
    }
  }
  return summarize([...samples, ...memoryPerItem(samples)]);
}

const select = (cases: readonly Case[], names?: readonly string[]) =>
  cases.filter(({ name }) => names?.includes(name) ?? true);

/** The cases that a contestant serves. */
export const casesOf = ({ serves }: Contestant, cases: readonly Case[]) => select(cases, serves);

async function* measureServer(
  server: MeasuredServer,
  contest: Contest,
  effort: Effort,
): AsyncGenerator<readonly [quantity: string, value: number, unit: string]> {
  const { contestant } = server;
  const cases = casesOf(contestant, contest.cases);
  yield ['first response', server.startMs, 'ms'];
  yield ['memory after start', server.startMebibytes, 'MiB'];
  for (const of of cases) await sendLoad(server, of, contest.connections[0] ?? 1, effort.warmUpSeconds);
  for (const count of contestant.connections ?? contest.connections) {
    for (const of of select(cases, contestant.measuredIn)) {
      const quantity = `${of.name}, ${String(count)}`;
      await sendLoad(server, of, count, effort.discardedSeconds);
      const { cpuUs, perSecond, p99Ms } = await sendLoad(server, of, count, effort.loadSeconds);
      yield [quantity, cpuUs, 'µs'];
      yield [`${quantity}, throughput`, perSecond, 'requests/s'];
      yield [`${quantity}, p99`, p99Ms, 'ms'];
      yield [`${quantity}, memory`, server.mebibytes(), 'MiB'];
    }
  }
  if (contestant.items !== undefined) yield [collectedMemory, await server.collectedMebibytes(), 'MiB'];
}

const collectedMemory = 'memory after a garbage collection';

/** What each item adds to the memory of the contestant without items, which comes first in each round. */
function memoryPerItem(samples: readonly Sample[]): Sample[] {
  let base = NaN;
  return samples.flatMap(([quantity, contestant, mebibytes]): Sample[] => {
    const { items } = contestant;
    if (quantity !== collectedMemory || items === undefined) return [];
    if (items > 0) return [['memory per item', contestant, ((mebibytes - base) * 2 ** 20) / items, 'bytes']];
    base = mebibytes;
    return [];
  });
}

/** Medians, minimums and maximums over the rounds, by quantity and server. */
function summarize(samples: readonly Sample[]) {
  const first = samples[0]?.[1];
  const valuesOf = (quantity: string, contestant?: Contestant) =>
    samples.filter(([of, one]) => of === quantity && one === contestant).map(([, , value]) => value);
  const kinds = new Map(samples.map((sample) => [`${sample[0]} ${sample[1].name}`, sample]));
  return [...kinds.values()].map(([quantity, contestant, , unit]) => {
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
