import { readdirSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileNames, makeDirectory } from '../../database/data-files.js';

/**
 * The unbans that operators have requested and the server has not yet applied: empty files, named after quotas. The
 * server creates their folder, and can therefore delete files that another user has created.
 */
export class UnbanRequests {
  private readonly folder: string;

  constructor(directory: string) {
    this.folder = join(directory, fileNames.unbans);
  }

  /** Creates the folder, and checks that it can be read. */
  createFolder(): void {
    makeDirectory(this.folder);
    this.list();
  }

  /** Does nothing if there is no folder: then no server has counted anything here. */
  async add(quotaId: string): Promise<void> {
    try {
      await writeFile(join(this.folder, quotaId), '', { mode: 0o600 });
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  list(): readonly string[] {
    try {
      const entries = readdirSync(this.folder, { withFileTypes: true });
      return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    } catch (error) {
      if (!isMissing(error)) throw error;
      return [];
    }
  }

  remove(quotaId: string): void {
    rmSync(join(this.folder, quotaId), { force: true });
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
