import type { SingleBar } from 'cli-progress';
import { type Case, casesOf } from './cases.js';
import { type Comparison, compare, type Pair, type Sample } from './comparison.js';
import { type Contestant, peers, service } from './contestants.js';
import { chooseCores } from './cores.js';
import { fetchResponse, requireEqualResponses, takesPart } from './equal-responses.js';
import { LoadGenerator } from './load.js';
import { MeasuredServer } from './measured-server.js';
import type { Section } from './plan.js';
import { showProgress } from './progress.js';
import { setStage } from './stage.js';

export interface Effort {
  readonly rounds: number;
  /** Duration of each load. */
  readonly seconds: number;
}

/** The running servers and their loads. */
export class Contest {
  private constructor(
    private readonly generator: LoadGenerator,
    private readonly servers: ReadonlyMap<string, MeasuredServer>,
    private readonly cases: readonly Case[],
  ) {}

  /** Starts the servers of the plan. @throws if one does not start. */
  static async open(sections: readonly Section[]): Promise<Contest> {
    const cores = chooseCores();
    const stage = await setStage();
    const named = [service, ...peers, ...sections.flatMap((section) => [section.service, ...section.peers])];
    const servers = new Map<string, MeasuredServer>();
    for (const contestant of named) {
      if (servers.has(contestant.name)) continue;
      const directory = await stage.copy(contestant.name);
      servers.set(contestant.name, await MeasuredServer.start(contestant, directory, cores.server));
    }
    return new Contest(new LoadGenerator(cores.load), servers, casesOf(stage));
  }

  get loadGenerator(): string {
    return this.generator.name;
  }

  /** @throws if the responses of two servers differ. */
  async requireEqualResponses(): Promise<void> {
    for (const [of, peer] of this.participants(this.cases, [...this.servers.values()])) {
      if (of.name === '429') await this.spend(of, peer);
      await requireEqualResponses(of, this.server(service), peer);
    }
  }

  /** Measures a plan. A bar on stderr shows the progress. */
  async measure(sections: readonly Section[], effort: Effort): Promise<Comparison[]> {
    const bar = showProgress(sections.flatMap((section) => this.contestsOf(section)).length * (effort.rounds + 1));
    try {
      const comparisons: Comparison[] = [];
      for (const section of sections) comparisons.push(...(await this.measureSection(section, effort, bar)));
      return comparisons;
    } finally {
      bar.stop();
    }
  }

  private async measureSection(section: Section, { rounds, seconds }: Effort, bar: SingleBar): Promise<Comparison[]> {
    const { title, connections } = section;
    const size = { connections, seconds };
    const contests = this.contestsOf(section).map(([of, peer]) => ({ of, peer, pairs: [] as Pair[] }));
    // The first round only warms up the just-in-time compiler.
    for (let round = 0; round <= rounds; round += 1) {
      for (const { of, peer, pairs } of contests) {
        bar.increment({ what: `${title}: ${of.title}, ${peer.contestant.name}` });
        const pair = {
          service: await this.sample(this.server(section.service), of, size),
          peer: await this.sample(peer, of, size),
        };
        if (round > 0) pairs.push(pair);
      }
    }
    return contests.map(({ of, peer, pairs }) => compare(title, of, peer.contestant, pairs));
  }

  private async sample(
    server: MeasuredServer,
    of: Case,
    size: { connections: number; seconds: number },
  ): Promise<Sample> {
    const before = server.cpuUs;
    const { requests, seconds, p99Ms } = await this.generator.run(server.url, of, size);
    return { cpuUs: (server.cpuUs - before) / requests, perSecond: requests / seconds, p99Ms };
  }

  private contestsOf(section: Section): [Case, MeasuredServer][] {
    const cases = this.cases.filter(({ name }) => section.cases.includes(name));
    return this.participants(
      cases,
      section.peers.map((peer) => this.server(peer)),
    );
  }

  private participants(cases: readonly Case[], servers: readonly MeasuredServer[]): [Case, MeasuredServer][] {
    return cases.flatMap((of) =>
      servers
        .filter(({ contestant }) => takesPart(contestant, of))
        .map((server): [Case, MeasuredServer] => [of, server]),
    );
  }

  /** Uses up the quota of the key that allows one request. */
  private async spend({ requests: [request] }: Case, server: MeasuredServer): Promise<void> {
    if (request !== undefined) await fetchResponse(server, request);
  }

  private server({ name }: Contestant): MeasuredServer {
    const server = this.servers.get(name);
    if (server === undefined) throw new Error(`${name} was not started.`);
    return server;
  }
}
