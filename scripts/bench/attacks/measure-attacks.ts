import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join, relative, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { service } from '../contestants.js';
import { MeasuredServer } from '../measured-server.js';
import { showProgress } from '../progress.js';
import { rootPath } from '../root-path.js';
import { setStage } from '../stage.js';
import { tableOf } from '../table.js';
import type { AttackReport } from './attack-process.js';
import { type Attack, type AttackTarget, attacks } from './attacks.js';
import { type Experience, WellBehavedClient } from './well-behaved-client.js';

/** What a well-behaved client experienced without and during an attack, and what the attacker received. */
export interface AttackResult extends AttackReport {
  readonly title: string;
  readonly undisturbed: Experience;
  readonly attacked: Experience;
  /** The duration of the attack, including the last responses of the client. */
  readonly seconds: number;
}

interface AttackOptions {
  /** Names of attacks; all if empty. */
  readonly names: readonly string[];
  readonly seconds: number;
  /** The directory of the build that is attacked. */
  readonly build?: string | undefined;
}

/** Another address of this machine than that of the attacker, which is 127.0.0.1. */
const clientAddress = '127.0.0.2';
const warmUpMs = 1000;
const undisturbedMs = 3000;

/** The goals of the service, for every attack. */
const goals = { p50Factor: 10, p99Ms: 1000, healthMs: 1000 } as const;

/**
 * Attacks a fresh server with each attack in turn, while a client at another address lists pets and checks its health.
 */
export async function measureAttacks({ names, seconds, build }: AttackOptions): Promise<AttackResult[]> {
  const chosen = attacks.filter(({ name }) => names.length === 0 || names.includes(name));
  const stage = await setStage({ petCount: 100 });
  const created = await stage.petstore('keys', 'create', '--name', 'free', '--plan', 'free', '--json');
  const { token: freeToken } = JSON.parse(created) as { token: string };
  const progress = showProgress(chosen.length);
  const results: AttackResult[] = [];
  for (const attack of chosen) {
    progress.increment({ what: attack.title });
    const server = await startServer(await stage.copy(attack.name), build);
    results.push(await measure(server, attack, { seconds, freeToken, token: stage.tokens.valid }));
    await server.stop();
  }
  progress.stop();
  return results;
}

function startServer(directory: string, build?: string): Promise<MeasuredServer> {
  const script = build === undefined ? service.script : relative(rootPath('.'), join(resolve(build), service.script));
  return MeasuredServer.start({ ...service, script, env: {} }, directory, undefined);
}

interface Measurement {
  readonly seconds: number;
  readonly token: string;
  readonly freeToken: string;
}

async function measure(
  server: MeasuredServer,
  attack: Attack,
  { seconds, token, freeToken }: Measurement,
): Promise<AttackResult> {
  const client = new WellBehavedClient(server.url, token, clientAddress);
  await client.run(warmUpMs);
  const undisturbed = await client.run(undisturbedMs);
  const { hostname: host, port } = new URL(server.url);
  const startedAt = performance.now();
  const attacker = new Attacker(attack, { host, port: Number(port), freeToken });
  const attacked = await client.run(seconds * 1000);
  const report = await attacker.stop();
  client.close();
  return { title: attack.title, undisturbed, attacked, seconds: (performance.now() - startedAt) / 1000, ...report };
}

/** An attack from a separate process. */
export class Attacker {
  private readonly child;

  constructor(attack: Attack, target: AttackTarget) {
    const script = fileURLToPath(new URL('attack-process.js', import.meta.url));
    this.child = fork(script, [attack.name, JSON.stringify(target)]);
  }

  async stop(): Promise<AttackReport> {
    const reported = once(this.child, 'message');
    this.child.send('stop');
    const [report] = (await reported) as [AttackReport];
    if (this.child.exitCode === null) await once(this.child, 'exit');
    // The server needs a moment to notice that the connections are closed; the next measurement must not include that.
    await delay(100);
    return report;
  }
}

/** Renders the results as a table. */
export function renderAttacks(results: readonly AttackResult[]): string {
  const head = ['attack', 'p50 ms', 'p99 ms', 'undisturbed', 'failed', 'health ms', 'responses/s', 'goals'];
  const table = tableOf(head);
  for (const { title, undisturbed, attacked, statuses, seconds } of results) {
    const perSecond = Object.entries(statuses).map(([status, count]) => `${status}: ${(count / seconds).toFixed(0)}`);
    table.push([
      title,
      attacked.p50Ms.toFixed(0),
      attacked.p99Ms.toFixed(0),
      `${undisturbed.p50Ms.toFixed(1)} / ${undisturbed.p99Ms.toFixed(0)}`,
      `${String(attacked.failed)} of ${String(attacked.requests)}`,
      attacked.healthMs.toFixed(0),
      perSecond.join(', '),
      missedGoals(undisturbed, attacked).join(', ') || 'met',
    ]);
  }
  return table.toString();
}

function missedGoals(undisturbed: Experience, { p50Ms, p99Ms, failed, healthMs }: Experience): string[] {
  return [
    p50Ms > goals.p50Factor * undisturbed.p50Ms ? 'p50' : '',
    p99Ms >= goals.p99Ms ? 'p99' : '',
    failed > 0 ? 'failed' : '',
    healthMs >= goals.healthMs ? 'health' : '',
  ].filter((missed) => missed !== '');
}
