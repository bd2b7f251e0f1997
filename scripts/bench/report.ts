import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cpus, loadavg, release } from 'node:os';

/** What the results depend on, besides the software. */
export function describeMachine() {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    kernel: release(),
    node: process.version,
    /** The CPU vulnerabilities that the kernel mitigates, which makes system calls slower. */
    mitigations: readMitigations().join(', ') || 'none',
    /** The load average of the last minute. */
    load: loadavg()[0] ?? NaN,
  };
}

/** None if the kernel does not report them, as in some virtual machines. */
function readMitigations(): string[] {
  const folder = '/sys/devices/system/cpu/vulnerabilities';
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => readFileSync(`${folder}/${name}`, 'utf8').startsWith('Mitigation'));
}

/** The median and the range of some values. */
export function rangeOf(values: readonly number[]) {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = (sorted.length - 1) / 2;
  const median = ((sorted[Math.floor(middle)] ?? NaN) + (sorted[Math.ceil(middle)] ?? NaN)) / 2;
  return { median, min: sorted[0] ?? NaN, max: sorted.at(-1) ?? NaN };
}

export type Range = ReturnType<typeof rangeOf>;

export function formatRange({ median, min, max }: Range, digits: number): string {
  return `${median.toFixed(digits)} (${min.toFixed(digits)}–${max.toFixed(digits)})`;
}

/** A Markdown table, which can be copied to a document. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
