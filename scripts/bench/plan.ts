import { bare, type Contestant, glue, logging, peers, service } from './contestants.js';

/** Loads that belong together. */
export interface Section {
  readonly title: string;
  readonly connections: number;
  readonly service: Contestant;
  readonly peers: readonly Contestant[];
  /** The names of the cases. */
  readonly cases: readonly string[];
}

const targeted = ['getPet', 'listPets', 'createPet', '400'];

export const fullPlan: readonly Section[] = [
  { title: '32 connections', connections: 32, service, peers, cases: [...targeted, '429', '401'] },
  { title: 'one connection', connections: 1, service, peers: [bare, glue], cases: targeted },
  {
    title: '32 connections, every request logged',
    connections: 32,
    service: logging.service,
    peers: [logging.glue],
    cases: targeted,
  },
];

/** A plan that takes about a minute. */
export const quickPlan: readonly Section[] = [
  {
    title: '32 connections',
    connections: 32,
    service,
    peers: peers.filter(({ name }) => /^(bare|glue|eov)$/.test(name)),
    cases: targeted,
  },
];
