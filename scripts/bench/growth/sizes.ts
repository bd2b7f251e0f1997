import { type Case, get, post } from '../cases.js';
import { service } from '../contestants.js';
import { chooseCores } from '../cores.js';
import { LoadGenerator } from '../load.js';
import { MeasuredServer } from '../measured-server.js';
import { showProgress } from '../progress.js';
import { type Stage, setStage } from '../stage.js';
import { mediansOf } from '../statistics.js';
import { builtFile } from './built-file.js';
import { scattered, statusOf } from './catalogue.js';

export interface SizesEffort {
  /** Numbers of pets. */
  readonly sizes: readonly number[];
  readonly rounds: number;
  /** Duration of each load. */
  readonly seconds: number;
}

/** The cost of one kind of request with one catalogue size: medians of the rounds. */
export interface SizeCost {
  readonly petCount: number;
  readonly case: string;
  readonly title: string;
  readonly cpuUs: number;
  readonly p50Ms: number;
  readonly perSecond: number;
}

type Sample = Pick<SizeCost, 'cpuUs' | 'p50Ms' | 'perSecond'>;

interface Sized {
  readonly petCount: number;
  readonly server: MeasuredServer;
  readonly cases: readonly Case[];
}

const connections = 32;
/** Number of different requests. Lua supports at most 65,536 entries in a table constructor. */
const differentRequests = 60_000;

/**
 * Measures the cost of requests by catalogue size. All servers run, and each round measures one after the other, so
 * that a disturbance of the machine affects all. Creations are last, because they change the sizes.
 */
export async function measureSizes({ sizes, rounds, seconds }: SizesEffort): Promise<SizeCost[]> {
  const cores = chooseCores();
  const generator = new LoadGenerator(cores.load);
  const caseCount = 5;
  const bar = showProgress(sizes.length * (1 + caseCount * (rounds + 1)));
  const all: Sized[] = [];
  for (const petCount of sizes) {
    bar.increment({ what: `creating ${petCount.toLocaleString('en')} pets` });
    const stage = await setStage({ petCount, statusOf: (index) => statusOf(index, petCount) });
    const server = await MeasuredServer.start(service, stage.directory, cores.server);
    all.push({ petCount, server, cases: await casesOf(stage) });
  }
  const costs: SizeCost[] = [];
  for (let index = 0; index < caseCount; index += 1) {
    const load = async ({ petCount, server, cases }: Sized): Promise<Sample> => {
      const of = required(cases[index]);
      bar.increment({ what: `${of.title}, ${petCount.toLocaleString('en')} pets` });
      const before = server.cpuUs;
      const { requests, seconds: lasted, p50Ms } = await generator.run(server.url, of, { connections, seconds });
      return { cpuUs: (server.cpuUs - before) / requests, p50Ms, perSecond: requests / lasted };
    };
    const samples = await inRounds(all, rounds, load);
    for (const { petCount, cases } of all) {
      const { name, title } = required(cases[index]);
      costs.push({ petCount, case: name, title, ...mediansOf(samples.get(petCount) ?? []) });
    }
  }
  bar.stop();
  for (const { server } of all) await server.stop();
  return costs;
}

/** The samples of each size. Every other round is in reverse order, so that no size is always the first. */
async function inRounds(all: readonly Sized[], rounds: number, load: (sized: Sized) => Promise<Sample>) {
  const samples = new Map<number, Sample[]>(all.map(({ petCount }) => [petCount, []]));
  // The first round only warms up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const sized of round % 2 === 0 ? all : all.toReversed()) {
      const sample = await load(sized);
      if (round > 0) samples.get(sized.petCount)?.push(sample);
    }
  }
  return samples;
}

async function casesOf({ petCount, tokens: { valid } }: Stage): Promise<Case[]> {
  const { writeCursor } = await builtFile<{ readonly writeCursor: (afterId: number, status: string) => string }>(
    'pets/cursor.js',
  );
  const page = (query: string) => get(`/v1/pets?limit=20&${query}`, valid);
  const ids = scattered(differentRequests, petCount);
  // Far enough from the end for a complete page.
  const cursors = scattered(differentRequests, petCount - 40).map((id) => writeCursor(id, 'available'));
  const common = { status: 200, compares: 'status', targets: {} } as const;
  return [
    { ...common, name: 'getPet', title: 'getPet', requests: ids.map((id) => get(`/v1/pets/${String(id)}`, valid)) },
    { ...common, name: 'first', title: 'first page by status', requests: [page('status=available')] },
    {
      ...common,
      name: 'middle',
      title: 'page by cursor',
      requests: cursors.map((cursor) => page(`status=available&cursor=${cursor}`)),
    },
    { ...common, name: 'rare', title: 'rare status', requests: [page('status=sold')] },
    {
      ...common,
      name: 'createPet',
      title: 'createPet',
      status: 201,
      requests: [post('{"name":"Rex","categoryId":7}', valid)],
    },
  ];
}

function required(of: Case | undefined): Case {
  if (of === undefined) throw new Error('Every size has the same cases.');
  return of;
}
