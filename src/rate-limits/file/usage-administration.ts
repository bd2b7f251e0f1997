import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileNames } from '../../database/data-files.js';
import { StartError } from '../../lib/errors.js';
import type { QuotaState } from '../decide.js';
import { clearBan, type UsageAdministration } from '../quota-store.js';
import { type CounterLines, readLines } from './counter-lines.js';
import { UnbanRequests } from './unban-requests.js';

/** How often the file is read again if a line looks damaged: the server may be writing it. */
const readsMax = 3;

/** The counters in the data directory, for operators. */
export class FileUsageAdministration implements UsageAdministration {
  private readonly path: string;
  private readonly unbans: UnbanRequests;

  constructor(directory: string) {
    this.path = join(directory, fileNames.counters);
    this.unbans = new UnbanRequests(directory);
  }

  async usage(quotaIds: Iterable<string>): Promise<ReadonlyMap<string, QuotaState>> {
    const ids = new Set(quotaIds);
    const { counters } = await this.read();
    const used = [...counters].filter(([id]) => ids.has(id));
    const states = new Map(used.map(([id, { state }]) => [id, state]));
    for (const id of this.unbans.list()) {
      const state = states.get(id);
      if (state !== undefined) clearBan(state);
    }
    return states;
  }

  unban(quotaId: string): Promise<void> {
    return this.unbans.add(quotaId);
  }

  private async read(reads = 1): Promise<CounterLines> {
    const file = await readFile(this.path).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
      throw new StartError(`${this.path} cannot be read: ${(error as Error).message}.`, { cause: error });
    });
    const lines = readLines(file);
    return lines.damagedCount > 0 && reads < readsMax ? this.read(reads + 1) : lines;
  }
}
