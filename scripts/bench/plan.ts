import { type Contestant, logging, peers, service } from './contestants.js';

/** The smallest ratio that a case must reach, by peer: the CPU time of the peer relative to that of the service. */
type Targets = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Loads that belong together. */
export interface Section {
  readonly title: string;
  readonly connections: number;
  readonly service: Contestant;
  readonly peers: readonly Contestant[];
  /** The names of the cases. */
  readonly cases: readonly string[];
  readonly targets: Targets;
}

const operations = ['getPet', 'listPets', 'createPet', '400'];

const concurrent: Section = {
  title: '32 connections',
  connections: 32,
  service,
  peers,
  cases: operations,
  targets: {
    getPet: { bare: 0.65, glue: 1.25, eov: 6 },
    listPets: { bare: 1, glue: 1.35, eov: 3.5 },
    createPet: { bare: 1.2, glue: 1.9, eov: 9 },
    '400': { glue: 1.5, eov: 6 },
  },
};

export const fullPlan: readonly Section[] = [
  concurrent,
  {
    ...concurrent,
    title: '32 connections, errors',
    peers: peers.filter(({ name }) => /^glue/.test(name)),
    cases: ['three errors', 'malformed JSON', '401', '404', '429'],
    targets: {
      'three errors': { glue: 1.5 },
      'malformed JSON': { glue: 1.5 },
      '401': { glue: 1.2 },
      '404': { glue: 1.2 },
    },
  },
  {
    ...concurrent,
    title: 'one connection',
    connections: 1,
    peers: peers.filter(({ name }) => /^(bare|glue)/.test(name)),
    targets: {
      getPet: { bare: 0.7, glue: 1 },
      listPets: { glue: 1 },
      createPet: { glue: 0.7 },
      '400': { glue: 1 },
    },
  },
  {
    ...concurrent,
    title: '32 connections, every request logged',
    service: logging.service,
    peers: [logging.glue],
    targets: {},
  },
];

/** A plan that takes about a minute. */
export const quickPlan: readonly Section[] = [
  { ...concurrent, peers: peers.filter(({ name }) => /^(bare|glue|eov)$/.test(name)) },
];
