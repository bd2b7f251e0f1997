import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cpus, loadavg, release } from 'node:os';

/** What the results of a benchmark depend on, besides the software. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly kernel: string;
  readonly node: string;
  /** The CPU vulnerabilities that the kernel mitigates, which makes system calls slower. */
  readonly mitigations: readonly string[];
  /** The load average of the last minute. */
  readonly load: number;
}

const vulnerabilities = '/sys/devices/system/cpu/vulnerabilities';

export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    kernel: release(),
    node: process.version,
    mitigations: readMitigations(),
    load: loadavg()[0] ?? NaN,
  };
}

/** None if the kernel does not report them, as in some virtual machines. */
function readMitigations(): string[] {
  if (!existsSync(vulnerabilities)) return [];
  return readdirSync(vulnerabilities).filter((name) =>
    readFileSync(`${vulnerabilities}/${name}`, 'utf8').startsWith('Mitigation'),
  );
}
