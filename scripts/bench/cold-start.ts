import { type Contestant, peers, service } from './contestants.js';
import { MeasuredServer } from './measured-server.js';
import { showProgress } from './progress.js';
import { setStage } from './stage.js';
import { mediansOf } from './statistics.js';
import { tableOf, verdictOf } from './table.js';

/** The time from the start command of a server to its first response, and its CPU time, in milliseconds. */
export interface ColdStart {
  readonly name: string;
  readonly title: string;
  readonly wallMs: number;
  readonly wallMsMin: number;
  readonly wallMsMax: number;
  readonly cpuMs: number;
  /** The resident memory after the first response. */
  readonly mebibytes: number;
  readonly targetMs?: number;
  readonly targetMebibytes?: number;
}

const targets = { targetMs: 250, targetMebibytes: 100 };

/** Starts the service and each peer in turn, a number of times. */
export async function measureColdStarts(rounds: number): Promise<ColdStart[]> {
  const stage = await setStage();
  const contestants: readonly Contestant[] = [
    { ...service, env: {} },
    ...peers.filter(({ name }) => name !== 'glue-cached'),
  ];
  const progress = showProgress(rounds * contestants.length);
  const starts = new Map(
    contestants.map(({ name }) => [name, [] as { wallMs: number; cpuMs: number; mebibytes: number }[]]),
  );
  for (let round = 0; round < rounds; round += 1) {
    for (const contestant of contestants) {
      progress.increment({ what: contestant.name });
      const directory = await stage.copy(`${contestant.name}-${String(round)}`);
      const server = await MeasuredServer.start(contestant, directory, undefined);
      const { startMs: wallMs, cpuUs, residentMebibytes } = server;
      starts.get(contestant.name)?.push({ wallMs, cpuMs: cpuUs / 1000, mebibytes: residentMebibytes.current });
      await server.stop();
    }
  }
  progress.stop();
  return contestants.map(({ name, title }) => {
    const all = starts.get(name) ?? [];
    const walls = all.map(({ wallMs }) => wallMs);
    return {
      name,
      title,
      ...mediansOf(all),
      wallMsMin: Math.min(...walls),
      wallMsMax: Math.max(...walls),
      ...(name === service.name && targets),
    };
  });
}

/** Renders the results as a table. */
export function renderColdStarts(starts: readonly ColdStart[]): string {
  const table = tableOf(['to the first response', 'ms', 'spread', 'CPU ms', 'target', 'MiB', 'target']);
  for (const { title, wallMs, wallMsMin, wallMsMax, cpuMs, mebibytes, targetMs, targetMebibytes } of starts) {
    table.push([
      title,
      wallMs.toFixed(0),
      `${wallMsMin.toFixed(0)}–${wallMsMax.toFixed(0)}`,
      cpuMs.toFixed(0),
      verdictOf(wallMs, '≤', targetMs),
      mebibytes.toFixed(0),
      verdictOf(mebibytes, '≤', targetMebibytes),
    ]);
  }
  return table.toString();
}
