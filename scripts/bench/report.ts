import { driftMax } from './calibration.js';
import type { Comparison } from './comparison.js';
import type { Results } from './contest.js';
import type { Machine } from './machine.js';
import { median } from './statistics.js';
import { tableOf, verdictOf } from './table.js';

/** Renders the machine, and the comparisons as tables, one per section. */
export function renderReport({ comparisons, calibrations }: Results, machine: Machine): string {
  const sections = [...new Set(comparisons.map(({ section }) => section))];
  const tables = sections.map(
    (section) => `${section}\n${renderSection(comparisons.filter((one) => one.section === section))}`,
  );
  const rangeOf = (field: 'computeUs' | 'systemCallUs') => {
    const values = calibrations.map((calibration) => calibration[field]);
    return `${median(values).toFixed(2)} µs (${Math.min(...values).toFixed(2)}–${Math.max(...values).toFixed(2)})`;
  };
  return [
    `${machine.cpu}, ${String(machine.cores)} cores, Linux ${machine.kernel}, Node.js ${machine.node}, load ${machine.load.toFixed(1)}`,
    `Mitigations: ${machine.mitigations.join(', ') || 'none'}`,
    `Calibration: JSON ${rangeOf('computeUs')}, system call ${rangeOf('systemCallUs')}`,
    '',
    tables.join('\n\n'),
    '',
    `* The speed of the machine deviated by more than ${String(driftMax * 100)} % from that of the run.`,
  ].join('\n');
}

function renderSection(comparisons: readonly Comparison[]): string {
  const head = [
    '',
    'peer',
    'CPU µs',
    'of peer',
    'ratio',
    'spread',
    'target',
    'requests/s',
    'of peer',
    'p99 ms',
    'of peer',
  ];
  const table = tableOf(head, 2);
  for (const one of comparisons) {
    const { service, peerSample: peer } = one;
    table.push([
      one.title,
      one.peer,
      service.cpuUs.toFixed(1),
      peer.cpuUs.toFixed(1),
      `${one.ratio.toFixed(2)}${one.drift > driftMax ? ' *' : ''}`,
      `${one.ratioMin.toFixed(2)}–${one.ratioMax.toFixed(2)}`,
      verdictOf(one.ratio, '≥', one.target),
      service.perSecond.toFixed(0),
      peer.perSecond.toFixed(0),
      service.p99Ms.toFixed(1),
      peer.p99Ms.toFixed(1),
    ]);
  }
  return table.toString();
}
