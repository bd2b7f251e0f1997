import { readdirSync } from 'node:fs';
import { residentMebibytesOf } from '../../../scripts/machine/process-usage.js';

/** The resources of a process. */
export interface ProcessUsage {
  readonly residentMegabytes: number;
  readonly openFiles: number;
}

/** Reads the usage of a running process from /proc. */
export function usageOf(pid: number): ProcessUsage {
  const residentMegabytes = Math.round(residentMebibytesOf(pid));
  return { residentMegabytes, openFiles: readdirSync(`/proc/${String(pid)}/fd`).length };
}
