import { readdirSync } from 'node:fs';
import { residentMebibytesOf } from '../../../scripts/machine/process-usage.js';

/** What a process holds at a moment. */
export interface ProcessUsage {
  readonly residentMegabytes: number;
  readonly openFiles: number;
}

/** Asks Linux about a process that runs. */
export function usageOf(pid: number): ProcessUsage {
  const residentMegabytes = Math.round(residentMebibytesOf(pid).current);
  return { residentMegabytes, openFiles: readdirSync(`/proc/${String(pid)}/fd`).length };
}
