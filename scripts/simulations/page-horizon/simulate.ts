import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { Database, type Rules } from './database.js';
import { type Faults, Node, type Random, type Schedule } from './node.js';

export interface Result {
  readonly pets: number;
  /** Pets that were committed behind a page that had been read: the reader never sees them. */
  readonly missed: number;
  /** Ids that were assigned twice. */
  readonly duplicates: number;
  readonly lostLeases: number;
  readonly fencedBatches: number;
  /** The times between the commit of each pet and the page that has it, in milliseconds. */
  readonly listingDelaysMs: readonly number[];
}

export interface Scenario {
  readonly rules: Rules;
  readonly faults: Faults;
}

const rules: Rules = { pagesEnd: 'at the horizon', isFenced: true, readsHorizons: 'twice' };
const faults: Faults = {
  clockErrorMax: 500,
  clockSteps: 100,
  pauses: 20,
  pauseMax: 6000,
  delayedCommits: 300,
  delayMax: 8000,
  lostResponses: 200,
};
const noFaults = { ...faults, clockErrorMax: 0, clockSteps: 0, pauses: 0, delayedCommits: 0, lostResponses: 0 };

/** The design, with and without faults. */
export const complete: Readonly<Record<string, Scenario>> = {
  'all rules': { rules, faults },
  'all rules, no faults': { rules, faults: noFaults },
};
/** The same without one of its rules. */
export const incomplete: Readonly<Record<string, Scenario>> = {
  'pages end nowhere': { rules: { ...rules, pagesEnd: 'nowhere' }, faults },
  'pages end nowhere, no faults': { rules: { ...rules, pagesEnd: 'nowhere' }, faults: noFaults },
  'pages end a second ago': { rules: { ...rules, pagesEnd: 'a second ago' }, faults },
  'late batches are not rejected': { rules: { ...rules, isFenced: false }, faults },
  'nodes start at their own clock': { rules: { ...rules, readsHorizons: 'never' }, faults },
  'nodes read the horizons only before the lease': { rules: { ...rules, readsHorizons: 'once' }, faults },
};

const nodeCount = 8;
const pageSize = 100;
const readPauseMs = 20;
/** A day after the epoch of the ids. */
const startMs = 24 * 3600 * 1000;

/**
 * Nodes create pets while a reader follows the list to its end, page by page. The same seed gives the same result.
 *
 * @param durationMs simulated time.
 */
export function simulate(seed: number, durationMs: number, scenario: Scenario): Result {
  const generator = xoroshiro128plus(seed);
  const random: Random = (from, to) => uniformInt(generator, from, to);
  const scheduled = new Map<number, ((now: number) => void)[]>();
  const schedule: Schedule = (time, run) => scheduled.set(time, [...(scheduled.get(time) ?? []), run]);
  const database = new Database(scenario.rules);
  const nodes = Array.from({ length: nodeCount }, () => new Node(database, schedule, random, scenario.faults));
  const listedAt = new Map<number, number>();
  let cursor = 0;
  for (let now = startMs; now < startMs + durationMs; now += 1) {
    for (const run of scheduled.get(now) ?? []) run(now);
    scheduled.delete(now);
    for (const node of nodes) node.step(now);
    if (now % readPauseMs > 0) continue;
    let page: readonly number[];
    do {
      page = database.page(now, cursor, pageSize);
      for (const id of page) listedAt.set(id, now);
      cursor = page.at(-1) ?? cursor;
    } while (page.length > 0);
  }
  const { committedAt, duplicates, lostLeases, fencedBatches } = database;
  const passed = [...committedAt.keys()].filter((id) => id <= cursor);
  return {
    pets: committedAt.size,
    missed: passed.filter((id) => !listedAt.has(id)).length,
    duplicates,
    lostLeases,
    fencedBatches,
    listingDelaysMs: [...listedAt].map(([id, time]) => time - (committedAt.get(id) ?? NaN)),
  };
}
