import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { petCount } from './cases.js';
import { rootPath } from './measured-server.js';

const statuses = ['available', 'pending', 'sold'];
const unlimited = '1000000000';

/** The initial data of every server: pets and one API key with a very large quota, created by the command line. */
export class Catalogue {
  readonly home = mkdtempSync(join(tmpdir(), 'petstore-bench-'));
  readonly token: string;
  private readonly original = join(this.home, 'original');
  private copies = 0;

  constructor() {
    process.once('exit', () => rmSync(this.home, { recursive: true, force: true, maxRetries: 3 }));
    const pets = Array.from({ length: petCount }, (_, index) =>
      JSON.stringify({ name: `Pet ${String(index)}`, categoryId: index % 50, status: statuses[index % 3] }),
    );
    const file = join(this.home, 'pets.ndjson');
    writeFileSync(file, `${pets.join('\n')}\n`);
    this.petstore('pets', 'import', file);
    const limits = ['--per-minute', unlimited, '--per-day', unlimited];
    const key = this.petstore('keys', 'create', '--name', 'bench', '--plan', 'enterprise', ...limits, '--json');
    this.token = (JSON.parse(key) as { token: string }).token;
  }

  /** Copies the data for one server. Returns the directory. */
  copy(): string {
    this.copies += 1;
    const directory = join(this.home, String(this.copies));
    cpSync(this.original, directory, { recursive: true });
    return directory;
  }

  private petstore(...args: readonly string[]): string {
    const options = { env: { DATA_DIR: this.original }, encoding: 'utf8', stdio: 'pipe' } as const;
    return execFileSync(process.execPath, [rootPath('dist/cli/petstore.js'), ...args], options);
  }
}
