import type { Comparison } from './comparison.js';
import { tableOf, verdictOf } from './table.js';

/** Renders the comparisons as tables, one per section. */
export function renderReport(comparisons: readonly Comparison[]): string {
  const sections = [...new Set(comparisons.map(({ section }) => section))];
  return sections
    .map((section) => `${section}\n${renderSection(comparisons.filter((one) => one.section === section))}`)
    .join('\n\n');
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
      one.ratio.toFixed(2),
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
