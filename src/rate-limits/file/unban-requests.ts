import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The unbans that operators have requested and the server has not yet applied: empty files, named after quotas. */
export class UnbanRequests {
  private readonly folder: string;

  constructor(directory: string) {
    this.folder = join(directory, 'unbans');
  }

  add(quotaId: string): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    writeFileSync(this.pathOf(quotaId), '', { mode: 0o600 });
  }

  list(): readonly string[] {
    try {
      return readdirSync(this.folder).map(decodeURIComponent);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }

  remove(quotaId: string): void {
    rmSync(this.pathOf(quotaId), { force: true });
  }

  private pathOf(quotaId: string): string {
    return join(this.folder, encodeURIComponent(quotaId));
  }
}
