import { tableOf, verdictOf } from '../table.js';
import type { Growth } from './growth.js';
import type { MemoryUse } from './memory.js';
import type { NodesCost } from './nodes.js';
import type { SizeCost } from './sizes.js';

/** Maximum ratio of the list times of the largest and the smallest catalogue. */
const targetRatio = 1.5;

/** Renders the results as tables. */
export function renderGrowthReport({ sizes, memory, nodes }: Growth): string {
  const sections = [
    sizes.length > 0 && `CPU µs of the server per request (and p50 in ms), by number of pets\n${renderSizes(sizes)}`,
    memory.length > 0 && `Resident memory\n${renderMemory(memory)}`,
    nodes.length > 0 && `Nodes on one PostgreSQL and one Redis\n${renderNodes(nodes)}`,
  ];
  return sections.filter((section) => section !== false).join('\n\n');
}

function renderSizes(costs: readonly SizeCost[]): string {
  const counts = [...new Set(costs.map(({ petCount }) => petCount))];
  const titles = [...new Set(costs.map(({ title }) => title))];
  const table = tableOf(['', ...counts.map((count) => count.toLocaleString('en')), 'last to first', 'target']);
  for (const title of titles) {
    const row = costs.filter((cost) => cost.title === title);
    const ratio = (row.at(-1)?.cpuUs ?? NaN) / (row[0]?.cpuUs ?? NaN);
    const target = /page|status/.test(title) ? targetRatio : undefined;
    const cells = row.map(({ cpuUs, p50Ms }) => `${cpuUs.toFixed(1)} (${p50Ms.toFixed(2)})`);
    table.push([title, ...cells, ratio.toFixed(2), verdictOf(ratio, '≤', target)]);
  }
  return table.toString();
}

function renderMemory(uses: readonly MemoryUse[]): string {
  const table = tableOf(['after', 'requests', 'MiB', 'at most']);
  for (const { after, requests, residentMebibytes, peakMebibytes } of uses) {
    table.push([after, requests.toLocaleString('en'), residentMebibytes.toFixed(0), peakMebibytes.toFixed(0)]);
  }
  return table.toString();
}

function renderNodes(costs: readonly NodesCost[]): string {
  const table = tableOf(['', 'nodes', 'requests/s', 'nodes µs', 'PostgreSQL µs', 'Redis µs', 'load µs', 'cores busy']);
  for (const { title, nodeCount, perSecond, cpuUs, coresBusy, cores } of costs) {
    const times = [cpuUs.nodes, cpuUs.postgres, cpuUs.redis, cpuUs.load].map((us) => us.toFixed(0));
    table.push([
      title,
      String(nodeCount),
      perSecond.toFixed(0),
      ...times,
      `${coresBusy.toFixed(2)} of ${String(cores)}`,
    ]);
  }
  return table.toString();
}
