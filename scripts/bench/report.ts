import { cpus, loadavg, release } from 'node:os';
import type { Result } from './measure.js';

/** What the results depend on, besides the software. The load average of the last minute is that of the compilation. */
export function describeMachine(): string {
  const cores = `${String(cpus().length)} cores of ${cpus()[0]?.model.trim() ?? 'an unknown CPU'}`;
  return `${cores}, Linux ${release()}, Node.js ${process.version}, load average ${loadAverage()}`;
}

/** The average number of processes that ran or waited in the last minute: about 1 before, and 1 to 2 after a run. */
export function loadAverage(): string {
  return (loadavg()[0] ?? NaN).toFixed(1);
}

/** A table with a row for each quantity and a column for each server. */
export function renderTable(results: readonly Result[]): string {
  const [quantities, servers] = (['quantity', 'server'] as const).map((name) => [
    ...new Set(results.map((result) => result[name])),
  ]) as [string[], string[]];
  const rows = quantities.map((quantity) => [
    quantity,
    ...servers.map((server) => renderCell(results.find((one) => one.quantity === quantity && one.server === server))),
  ]);
  const table = [['median (range)', ...servers], ...rows];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  return table.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')).join('\n');
}

/** The value or, where the first server has one too, the ratio to it. */
function renderCell(result?: Result): string {
  if (result === undefined) return '';
  const { value, ratio, unit } = result;
  return ratio ? formatRange(ratio, 2) : `${formatRange(value, 1)} ${unit}`;
}

function formatRange({ median, min, max }: Result['value'], digits: number): string {
  return `${median.toFixed(digits)} (${min.toFixed(digits)}–${max.toFixed(digits)})`;
}
