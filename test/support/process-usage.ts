import { readdirSync, readFileSync } from 'node:fs';

/** What a process holds at a moment. */
export interface ProcessUsage {
  readonly residentMegabytes: number;
  readonly openFiles: number;
}

/** Asks Linux about a process that runs. */
export function usageOf(pid: number): ProcessUsage {
  const folder = `/proc/${String(pid)}`;
  const kilobytes = /^VmRSS:\s+([0-9]+) kB$/m.exec(readFileSync(`${folder}/status`, 'utf8'))?.[1];
  return { residentMegabytes: Math.round(Number(kilobytes) / 1024), openFiles: readdirSync(`${folder}/fd`).length };
}
