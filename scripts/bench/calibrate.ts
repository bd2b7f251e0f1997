/**
 * Prints what fixed work costs on this machine at this moment, as JSON: microseconds of CPU time for a unit of
 * computation, and for a system call. Run as a separate process on the core of the servers.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import type { Calibration } from './calibration.js';

/** Duration of each measurement, in microseconds of CPU time. */
const durationUs = 100_000;

const text = JSON.stringify({ id: 1, name: 'Rex', tags: ['a', 'b', 'c'], status: 'available' });
const file = openSync('/dev/null', 'w');
const result: Calibration = {
  computeUs: costOf(() => void JSON.stringify(JSON.parse(text))),
  systemCallUs: costOf(() => void writeSync(file, 'x')),
};
closeSync(file);
console.log(JSON.stringify(result));

function costOf(run: () => void): number {
  // Warms up the just-in-time compiler.
  for (let count = 0; count < 10_000; count += 1) run();
  const before = process.cpuUsage();
  let runs = 0;
  for (;;) {
    for (let count = 0; count < 1000; count += 1) run();
    runs += 1000;
    const { user, system } = process.cpuUsage(before);
    if (user + system >= durationUs) return (user + system) / runs;
  }
}
