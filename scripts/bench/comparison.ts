import type { Case } from './cases.js';
import type { Contestant } from './contestants.js';
import { median, mediansOf } from './statistics.js';

/** The cost of one load for the server, and the results of its clients. */
export interface Sample {
  readonly cpuUs: number;
  readonly perSecond: number;
  readonly p99Ms: number;
}

/** Two loads in succession, so that other load on the machine affects both. */
export interface Pair {
  readonly service: Sample;
  readonly peer: Sample;
}

/** The service and one peer, in one case. */
export interface Comparison {
  readonly section: string;
  readonly case: string;
  readonly title: string;
  readonly peer: string;
  readonly peerTitle: string;
  /** Medians of all loads. */
  readonly service: Sample;
  readonly peerSample: Sample;
  /** The CPU time of the peer per request, relative to the service: median, minimum and maximum of the pairs. */
  readonly ratio: number;
  readonly ratioMin: number;
  readonly ratioMax: number;
  readonly target: number | undefined;
}

export function compare(section: string, of: Case, peer: Contestant, pairs: readonly Pair[]): Comparison {
  const ratios = pairs.map((pair) => pair.peer.cpuUs / pair.service.cpuUs);
  return {
    section,
    case: of.name,
    title: of.title,
    peer: peer.name,
    peerTitle: peer.title,
    service: mediansOf(pairs.map((pair) => pair.service)),
    peerSample: mediansOf(pairs.map((pair) => pair.peer)),
    ratio: median(ratios),
    ratioMin: Math.min(...ratios),
    ratioMax: Math.max(...ratios),
    target: of.targets[peer.name],
  };
}
