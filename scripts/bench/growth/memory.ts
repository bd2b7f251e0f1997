import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { addressPlace, type Case, get } from '../cases.js';
import { service } from '../contestants.js';
import { chooseCores } from '../cores.js';
import { LoadGenerator, requestsMax } from '../load.js';
import { MeasuredServer } from '../measured-server.js';
import { showProgress } from '../progress.js';
import { type Stage, setStage } from '../stage.js';
import { builtFile } from './built-file.js';

/** The resident memory of the service after a load and its peak, in mebibytes. */
export interface MemoryUse {
  readonly after: string;
  readonly requests: number;
  readonly residentMebibytes: number;
  readonly peakMebibytes: number;
}

const connections = 32;
const keyCount = 10_000;
/** Duration of a load on keys: several rounds through all keys. */
const keySeconds = 5;
/** Maximum duration of a load on addresses, which ends when each has sent a request. */
const addressSeconds = 150;
/** Delay after a load, until the memory of its last requests is released. */
const settlingMs = 2000;

interface Keys {
  readonly createToken: (prefix: string) => string;
  readonly hashToken: (token: string) => Buffer;
}

/**
 * Measures the memory of the service at rest, with many keys in use, and with many client addresses; each compared with
 * the same load on few.
 */
export async function measureMemory(): Promise<MemoryUse[]> {
  const { server: core, load } = chooseCores();
  const generator = new LoadGenerator(load);
  const stage = await setStage();
  const tokens = await importKeys(stage);
  const common = { compares: 'status', targets: {} } as const;
  const asking = (title: string, tokensUsed: readonly string[]): Case => {
    return {
      ...common,
      name: 'keys',
      title,
      status: 200,
      requests: tokensUsed.map((token) => get('/v1/pets/1', token)),
    };
  };
  const stranger = { ...get('/v1/pets/1', stage.tokens.revoked) };
  const strangers = { ...stranger, headers: { ...stranger.headers, 'X-Forwarded-For': addressPlace } };
  const million = `${requestsMax.toLocaleString('en')} addresses`;
  const loads: [of: Case, seconds: number][][] = [
    [
      [asking('one key', [stage.tokens.valid]), keySeconds],
      [asking(`${keyCount.toLocaleString('en')} keys`, tokens), keySeconds],
    ],
    [[{ ...common, name: 'addresses', title: million, status: 401, requests: [strangers] }, addressSeconds]],
  ];
  const bar = showProgress(loads.flat().length);
  const uses: MemoryUse[] = [];
  for (const [index, runs] of loads.entries()) {
    const server = await MeasuredServer.start(service, await stage.copy(`memory-${String(index)}`), core);
    uses.push(await useOf(server, 'the start', 0));
    for (const [of, seconds] of runs) {
      bar.increment({ what: of.title });
      const { requests } = await generator.run(server.url, of, { connections, seconds });
      uses.push(await useOf(server, of.title, requests));
    }
    await server.stop();
  }
  bar.stop();
  return uses;
}

async function useOf(server: MeasuredServer, after: string, requests: number): Promise<MemoryUse> {
  await delay(settlingMs);
  const { current, peak } = server.residentMebibytes;
  return { after, requests, residentMebibytes: current, peakMebibytes: peak };
}

/** Imports keys whose limits no load reaches. */
async function importKeys(stage: Stage): Promise<string[]> {
  const { createToken, hashToken } = await builtFile<Keys>('api-keys/token.js');
  const tokens = Array.from({ length: keyCount }, () => createToken('pets_live_'));
  const lines = tokens.map((token, index) => {
    const limits = { plan: 'enterprise', requestsPerMinute: 1_000_000_000, requestsPerDay: 1_000_000_000 };
    const [id, quotaId] = [`key_many${String(index)}`, `quota_many${String(index)}`];
    const tokenSha256 = hashToken(token).toString('hex');
    return JSON.stringify({
      id,
      tokenSha256,
      name: `key ${String(index)}`,
      quotaId,
      ...limits,
      createdAt: new Date().toISOString(),
    });
  });
  const file = join(stage.directory, 'keys.ndjson');
  await writeFile(file, `${lines.join('\n')}\n`);
  await stage.petstore('keys', 'import', file);
  return tokens;
}
