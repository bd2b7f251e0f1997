import { readFileSync } from 'node:fs';

/** The clock ticks per second of the times in /proc. */
const ticksPerSecond = 100;

/** The CPU time of a process and of its exited children, in microseconds: user and system, all threads. */
export function cpuUsOf(pid: number): number {
  // utime, stime, cutime and cstime.
  return sumOfTicks(pid, 4);
}

/** The part of `cpuUsOf` that the kernel used for the process, in microseconds. */
export function systemUsOf(pid: number): number {
  // The fields alternate: utime, stime, cutime and cstime.
  return cpuUsOf(pid) - sumOfTicks(pid, 1) - (sumOfTicks(pid, 3) - sumOfTicks(pid, 2));
}

/** The CPU time of the exited children of this process, in microseconds. */
export function endedCpuUs(): number {
  return sumOfTicks(process.pid, 4) - sumOfTicks(process.pid, 2);
}

/** The CPU time of a process and its running children, in microseconds. */
export function familyCpuUsOf(pid: number): number {
  return familyOf(pid).reduce((sum, one) => sum + cpuUsOf(one), 0);
}

/** The ids of a process and its running children. */
export function familyOf(pid: number): number[] {
  const children = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8');
  return [pid, ...children.trim().split(' ').filter(Boolean).map(Number)];
}

/** The resident memory of a process in mebibytes, current and peak. */
export function residentMebibytesOf(pid: number): { readonly current: number; readonly peak: number } {
  const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
  const of = (name: string) => Number(new RegExp(`^${name}:\\s+([0-9]+) kB$`, 'm').exec(status)?.[1]) / 1024;
  return { current: of('VmRSS'), peak: of('VmHWM') };
}

function sumOfTicks(pid: number, count: number): number {
  const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
  // The name, in parentheses, may contain blanks. The state, which follows it, is field 3; the times start at field 14.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 11 + count).reduce((sum, field) => sum + Number(field), 0);
  return (ticks * 1_000_000) / ticksPerSecond;
}
