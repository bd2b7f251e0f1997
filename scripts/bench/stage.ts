import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { rootPath } from './root-path.js';
import { temporaryDirectory } from './temporary-directory.js';

/** The initial data of all servers: a catalogue and its API keys, in a directory that is copied for each server. */
export interface Stage {
  readonly petCount: number;
  readonly tokens: {
    /** Its limits are higher than any load. */
    readonly valid: string;
    /** Allows one request a day; its minute limit is high, so that it is never banned. */
    readonly spent: string;
    readonly revoked: string;
  };
  /** The original directory, for the server that needs no copy. */
  readonly directory: string;
  /** Runs the command line of the service on the directory. */
  petstore(...args: readonly string[]): Promise<string>;
  /** Returns a copy of the directory. */
  copy(name: string): Promise<string>;
}

export interface StageOptions {
  readonly petCount?: number;
  /** The status of the pet with this number, from 0. */
  readonly statusOf?: (index: number) => string;
  /** The database URL, if pets and keys are not in the directory. */
  readonly env?: Readonly<Record<string, string>>;
}

const statuses = ['available', 'pending', 'sold'];
const plenty = '1000000000';

/** Creates the initial data with the command line of the service. */
export async function setStage({ petCount = 10_000, statusOf = inTurn, env = {} }: StageOptions = {}): Promise<Stage> {
  const home = temporaryDirectory();
  const directory = join(home, 'original');
  const petstore = async (...args: readonly string[]) => {
    const options = { env: { DATA_DIR: directory, ...env } };
    return (await promisify(execFile)(process.execPath, [rootPath('dist/cli/petstore.js'), ...args], options)).stdout;
  };
  const createKey = async (name: string, perMinute: string, perDay: string) => {
    const limits = ['--per-minute', perMinute, '--per-day', perDay];
    const created = await petstore('keys', 'create', '--name', name, '--plan', 'enterprise', ...limits, '--json');
    return JSON.parse(created) as { id: string; token: string };
  };
  const file = join(home, 'pets.ndjson');
  await pipeline(Readable.from(pets(petCount, statusOf)), createWriteStream(file));
  await petstore('pets', 'import', file);
  await rm(file);
  const valid = await createKey('valid', plenty, plenty);
  const spent = await createKey('spent', plenty, '1');
  const revoked = await createKey('revoked', plenty, plenty);
  await petstore('keys', 'revoke', revoked.id);
  return {
    petCount,
    tokens: { valid: valid.token, spent: spent.token, revoked: revoked.token },
    directory,
    petstore,
    copy: async (name) => {
      const copied = join(home, name);
      await cp(directory, copied, { recursive: true });
      return copied;
    },
  };
}

function inTurn(index: number): string {
  return statuses[index % statuses.length] ?? '';
}

/** Yields lines of JSON in chunks of a thousand. */
function* pets(count: number, statusOf: (index: number) => string): Generator<string> {
  for (let first = 0; first < count; first += 1000) {
    const lines = Array.from({ length: Math.min(1000, count - first) }, (_, offset) => {
      const index = first + offset;
      return JSON.stringify({ name: `Pet ${String(index)}`, categoryId: index % 50, status: statusOf(index) });
    });
    yield `${lines.join('\n')}\n`;
  }
}
