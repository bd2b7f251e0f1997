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
  readonly targetMs?: number;
}

const targetMs = 350;

/** Starts the service and each peer in turn, a number of times. */
export async function measureColdStarts(rounds: number): Promise<ColdStart[]> {
  const stage = await setStage();
  const contestants: readonly Contestant[] = [
    { ...service, env: {} },
    ...peers.filter(({ name }) => name !== 'glue-open'),
  ];
  const progress = showProgress(rounds * contestants.length);
  const starts = new Map(contestants.map(({ name }) => [name, [] as { wallMs: number; cpuMs: number }[]]));
  for (let round = 0; round < rounds; round += 1) {
    for (const contestant of contestants) {
      progress.increment({ what: contestant.name });
      const directory = await stage.copy(`${contestant.name}-${String(round)}`);
      const server = await MeasuredServer.start(contestant, directory, undefined);
      starts.get(contestant.name)?.push({ wallMs: server.startMs, cpuMs: server.cpuUs / 1000 });
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
      ...(name === service.name && { targetMs }),
    };
  });
}

/** Renders the results as a table. */
export function renderColdStarts(starts: readonly ColdStart[]): string {
  const table = tableOf(['to the first response', 'ms', 'spread', 'CPU ms', 'target']);
  for (const { title, wallMs, wallMsMin, wallMsMax, cpuMs, targetMs } of starts) {
    table.push([
      title,
      wallMs.toFixed(0),
      `${wallMsMin.toFixed(0)}–${wallMsMax.toFixed(0)}`,
      cpuMs.toFixed(0),
      verdictOf(wallMs, '≤', targetMs),
    ]);
  }
  return table.toString();
}
