import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { pinned } from './cores.js';
import { rootPath } from './root-path.js';
import { median } from './statistics.js';

/** The cost of fixed work, in microseconds of CPU time. */
export interface Calibration {
  /** Parsing and writing a small JSON text. */
  readonly computeUs: number;
  /** A write to /dev/null, including Node's part. */
  readonly systemCallUs: number;
}

/** A change of the calibration beyond which results of a run are not comparable. */
export const driftMax = 0.15;

/** Measures the speed of a core in a new process. */
export async function calibrate(core: number | undefined): Promise<Calibration> {
  const [command, args] = pinned(core, process.execPath, [rootPath('build/scripts/bench/calibrate.js')]);
  return JSON.parse((await promisify(execFile)(command, args)).stdout) as Calibration;
}

/** The greatest deviation of some calibrations from the median of a run: 0.1 if one was 10 % slower or faster. */
export function driftOf(some: readonly Calibration[], all: readonly Calibration[]): number {
  const fields = ['computeUs', 'systemCallUs'] as const;
  const deviations = fields.flatMap((field) => {
    const middle = median(all.map((calibration) => calibration[field]));
    return some.map((calibration) => Math.abs(calibration[field] / middle - 1));
  });
  return Math.max(...deviations);
}
