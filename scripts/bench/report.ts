import { cpus, loadavg, release } from 'node:os';
import type { Result } from './measure.js';

/** What the results depend on, besides the software. The load average of the last minute should be 0. */
export function describeMachine(): string {
  const cores = `${String(cpus().length)} cores of ${cpus()[0]?.model.trim() ?? 'an unknown CPU'}`;
  return `${cores}, Linux ${release()}, Node.js ${process.version}, load average ${String(loadavg()[0])}`;
}

export function renderTable(results: readonly Result[]): string {
  const rows = results.map(({ quantity, server, value, unit, ratio, target = '' }) => {
    return [quantity, server, `${formatRange(value, 1)} ${unit}`, ratio ? formatRange(ratio, 2) : '', target];
  });
  const table = [['quantity', 'server', 'median (range)', 'ratio (range)', 'target'], ...rows];
  const widthOf = (column: number) => Math.max(...table.map((row) => row[column]?.length ?? 0));
  return table.map((row) => row.map((cell, column) => cell.padEnd(widthOf(column))).join('  ')).join('\n');
}

function formatRange({ median, min, max }: Result['value'], digits: number): string {
  return `${median.toFixed(digits)} (${min.toFixed(digits)}–${max.toFixed(digits)})`;
}
