import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileNames } from '../../database/data-files.js';
import type { QuotaState } from '../decide.js';
import { clearBan, type UsageAdministration } from '../rate-limit-store.js';
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

  usage(quotaIds: Iterable<string>): Promise<ReadonlyMap<string, QuotaState>> {
    const ids = new Set(quotaIds);
    const counters = [...this.read().counters].filter(([id]) => ids.has(id));
    const states = new Map(counters.map(([id, { state }]) => [id, state]));
    for (const id of this.unbans.list()) {
      const state = states.get(id);
      if (state !== undefined) clearBan(state);
    }
    return Promise.resolve(states);
  }

  unban(quotaId: string): Promise<void> {
    this.unbans.add(quotaId);
    return Promise.resolve();
  }

  private read(reads = 1): CounterLines {
    let file: Buffer;
    try {
      file = readFileSync(this.path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      file = Buffer.alloc(0);
    }
    const lines = readLines(file);
    return lines.damaged.length > 0 && reads < readsMax ? this.read(reads + 1) : lines;
  }
}
