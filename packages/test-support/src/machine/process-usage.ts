import { readFileSync } from 'node:fs';

/** The duration of a clock tick of the times in /proc, in microseconds. */
const tickUs = 10_000;

/** The CPU time of a process and of its exited children, in microseconds: user and system, all threads. */
export function cpuUsOf(pid: number): number {
  const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
  // The name, in parentheses, may contain blanks. The state, which follows it, is field 3; the times are 14 to 17.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * tickUs, 0);
}

/** The ids of a process and its running children. */
export function familyOf(pid: number): number[] {
  const children = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8');
  return [pid, ...children.trim().split(' ').filter(Boolean).map(Number)];
}

/** The resident memory of a process, in mebibytes. */
export function residentMebibytesOf(pid: number): number {
  const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
  return Number(/^VmRSS:\s+([0-9]+) kB$/m.exec(status)?.[1]) / 1024;
}
