import { readFileSync } from 'node:fs';

/** The clock ticks per second of the times in /proc. */
const ticksPerSecond = 100;

/** The CPU time of a process and of its exited children, in microseconds: user and system, all threads. */
export function cpuUsOf(pid: number): number {
  const { utime, stime, cutime, cstime } = readTimes(pid);
  return utime + stime + cutime + cstime;
}

/** The part of `cpuUsOf` that the kernel used for the process, in microseconds. */
export function systemUsOf(pid: number): number {
  const { stime, cstime } = readTimes(pid);
  return stime + cstime;
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

/** The CPU times of a process and of its exited children, in microseconds. */
function readTimes(pid: number) {
  const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
  // The name, in parentheses, may contain blanks. The state, which follows it, is field 3; the times start at field 14.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [utime = NaN, stime = NaN, cutime = NaN, cstime = NaN] = fields
    .slice(11, 15)
    .map((ticks) => (Number(ticks) * 1_000_000) / ticksPerSecond);
  return { utime, stime, cutime, cstime };
}
