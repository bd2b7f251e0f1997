import type { SingleBar } from 'cli-progress';
import { type Calibration, calibrate } from './calibration.js';
import { type Case, casesOf } from './cases.js';
import { type Comparison, compare, type Pair, type Sample } from './comparison.js';
import type { Contestant } from './contestants.js';
import { chooseCores } from './cores.js';
import { fetchResponse, requireEqualResponses, takesPart } from './equal-responses.js';
import { LoadGenerator, type LoadSize } from './load.js';
import { MeasuredServer } from './measured-server.js';
import type { Section } from './plan.js';
import { showProgress } from './progress.js';
import { type Stage, setStage } from './stage.js';

export interface Effort {
  readonly rounds: number;
  /** Duration of each load. */
  readonly seconds: number;
}

export interface Results {
  readonly comparisons: readonly Comparison[];
  readonly calibrations: readonly Calibration[];
}

/** How many times as long as a measured load each warm-up takes. */
const warmUpFactor = 2;

/** A case in which a peer is compared with the service, and the pairs of all rounds. */
interface Match {
  readonly of: Case;
  readonly peer: Contestant;
  readonly pairs: Pair[];
}

/** The servers of a round, by name. */
type Servers = Map<string, MeasuredServer>;

/** Compares the service with its peers. Every round has new processes, because the state of a process affects its speed. */
export class Contest {
  private readonly cores = chooseCores();
  private readonly generator = new LoadGenerator(this.cores.load);
  private readonly cases: readonly Case[];
  private readonly calibrations: Calibration[] = [];
  private copies = 0;

  private constructor(private readonly stage: Stage) {
    this.cases = casesOf(stage);
  }

  /** Creates the initial data. */
  static async open(): Promise<Contest> {
    return new Contest(await setStage());
  }

  get loadGenerator(): string {
    return this.generator.name;
  }

  /** Measures the sections of a plan. A bar on stderr shows the progress. @throws if the responses of servers differ. */
  async measure(sections: readonly Section[], { rounds, seconds }: Effort): Promise<Results> {
    const matches = sections.map((section) => this.matchesOf(section));
    const bar = showProgress(matches.flat().length * rounds);
    try {
      // Rounds of all sections alternate, so that each section is measured over the whole run.
      for (let round = 0; round < rounds; round += 1) {
        for (const [index, section] of sections.entries()) {
          await this.playRound(section, matches[index] ?? [], seconds, bar);
        }
      }
    } finally {
      bar.stop();
    }
    const comparisons = sections.flatMap((section, index) =>
      (matches[index] ?? []).map(({ of, peer, pairs }) => compare(section, of, peer, pairs, this.calibrations)),
    );
    return { comparisons, calibrations: this.calibrations };
  }

  private async playRound(section: Section, matches: readonly Match[], seconds: number, bar: SingleBar): Promise<void> {
    const size = { connections: section.connections, seconds };
    const servers: Servers = new Map();
    try {
      await this.startServers(servers, [section.service, ...section.peers]);
      const service = requireServer(servers, section.service);
      await this.warmUp(section, servers, size);
      let before = await this.calibrate();
      for (const { of, peer, pairs } of matches) {
        bar.increment({ what: `${section.title}: ${of.title}, ${peer.name}` });
        const samples = {
          service: await this.sample(service, of, size),
          peer: await this.sample(requireServer(servers, peer), of, size),
        };
        const after = await this.calibrate();
        pairs.push({ ...samples, calibrations: [before, after] });
        before = after;
      }
    } finally {
      for (const server of servers.values()) await server.stop();
    }
  }

  /** Compares the responses, and lets the just-in-time compiler of each server see each case. */
  private async warmUp(section: Section, servers: Servers, size: LoadSize): Promise<void> {
    const service = requireServer(servers, section.service);
    for (const of of this.casesOf(section)) {
      for (const server of servers.values()) {
        if (!takesPart(server.contestant, of)) continue;
        // Uses up the quota of the key that allows one request.
        if (of.name === '429' && of.requests[0] !== undefined) await fetchResponse(server, of.requests[0]);
        if (server !== service) await requireEqualResponses(of, service, server);
        await this.generator.run(server.url, of, { ...size, seconds: warmUpFactor * size.seconds });
      }
    }
  }

  /** Starts new processes, each with its own copy of the initial data, and adds them to the servers. */
  private async startServers(servers: Servers, contestants: readonly Contestant[]): Promise<void> {
    for (const contestant of contestants) {
      this.copies += 1;
      const directory = await this.stage.copy(`${contestant.name}-${String(this.copies)}`);
      servers.set(contestant.name, await MeasuredServer.start(contestant, directory, this.cores.server));
    }
  }

  private async sample(server: MeasuredServer, of: Case, size: LoadSize): Promise<Sample> {
    const before = { cpuUs: server.cpuUs, systemUs: server.systemUs };
    const { requests, seconds, p99Ms } = await this.generator.run(server.url, of, size);
    return {
      cpuUs: (server.cpuUs - before.cpuUs) / requests,
      systemUs: (server.systemUs - before.systemUs) / requests,
      perSecond: requests / seconds,
      p99Ms,
    };
  }

  private async calibrate(): Promise<Calibration> {
    const calibration = await calibrate(this.cores.server);
    this.calibrations.push(calibration);
    return calibration;
  }

  private matchesOf(section: Section): Match[] {
    return this.casesOf(section).flatMap((of) =>
      section.peers.filter((peer) => takesPart(peer, of)).map((peer) => ({ of, peer, pairs: [] })),
    );
  }

  private casesOf({ cases }: Section): readonly Case[] {
    return this.cases.filter(({ name }) => cases.includes(name));
  }
}

function requireServer(servers: Servers, { name }: Contestant): MeasuredServer {
  const server = servers.get(name);
  if (server === undefined) throw new Error(`${name} was not started.`);
  return server;
}
