import { readFileSync } from 'node:fs';

/** The unit of the times in /proc, on every Linux. */
const ticksPerSecond = 100;

/** The CPU time that a process and all that it waited for has used, in microseconds: user and system, all threads. */
export function cpuUsOf(pid: number): number {
  // utime, stime, cutime and cstime.
  return sumOfTicks(pid, 4);
}

/** That of processes which this one has started and which have ended, in microseconds. */
export function endedCpuUs(): number {
  return sumOfTicks(process.pid, 4) - sumOfTicks(process.pid, 2);
}

/** The CPU time of a process with all that it has started and that still runs, in microseconds. */
export function familyCpuUsOf(pid: number): number {
  return familyOf(pid).reduce((sum, one) => sum + cpuUsOf(one), 0);
}

/** The ids of a process and of all that it has started and that still runs. */
export function familyOf(pid: number): number[] {
  const children = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8');
  return [pid, ...children.trim().split(' ').filter(Boolean).map(Number)];
}

/** What a process holds of the machine's memory, in mebibytes: at the moment, and when it held most. */
export function residentMebibytesOf(pid: number): { readonly current: number; readonly peak: number } {
  const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
  const of = (name: string) => Number(new RegExp(`^${name}:\\s+([0-9]+) kB$`, 'm').exec(status)?.[1]) / 1024;
  return { current: of('VmRSS'), peak: of('VmHWM') };
}

function sumOfTicks(pid: number, count: number): number {
  const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
  // The name, in brackets, may hold blanks. The state follows it as the third field; the times are the 14th and
  // following.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 11 + count).reduce((sum, field) => sum + Number(field), 0);
  return (ticks * 1_000_000) / ticksPerSecond;
}
