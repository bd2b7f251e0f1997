import { type Calibration, driftOf } from './calibration.js';
import type { Case } from './cases.js';
import type { Contestant } from './contestants.js';
import type { Section } from './plan.js';
import { median, mediansOf } from './statistics.js';

/** The cost of one load for the server, and the results of its clients. */
export interface Sample {
  readonly cpuUs: number;
  /** The part of it that the kernel used. */
  readonly systemUs: number;
  readonly perSecond: number;
  readonly p99Ms: number;
}

/** Two loads in succession, so that other load on the machine affects both. */
export interface Pair {
  readonly service: Sample;
  readonly peer: Sample;
  /** Before and after the loads. */
  readonly calibrations: readonly Calibration[];
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
  /** How much the speed of the machine deviated from that of the whole run: 0.1 is 10 %. */
  readonly drift: number;
}

export function compare(
  section: Section,
  of: Case,
  peer: Contestant,
  pairs: readonly Pair[],
  all: readonly Calibration[],
): Comparison {
  const ratios = pairs.map((pair) => pair.peer.cpuUs / pair.service.cpuUs);
  return {
    section: section.title,
    case: of.name,
    title: of.title,
    peer: peer.name,
    peerTitle: peer.title,
    service: mediansOf(pairs.map((pair) => pair.service)),
    peerSample: mediansOf(pairs.map((pair) => pair.peer)),
    ratio: median(ratios),
    ratioMin: Math.min(...ratios),
    ratioMax: Math.max(...ratios),
    target: section.targets[of.name]?.[peer.name],
    drift: driftOf(
      pairs.flatMap(({ calibrations }) => calibrations),
      all,
    ),
  };
}
