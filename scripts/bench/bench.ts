/**
 * Compares the CPU time that a request costs the service with what it costs peers that do the same work. In every round
 * each server is a new process, because the state of a process affects its speed, and all of them are measured in turn.
 *
 *   npm run bench -- [--quick] [--json] [--rounds <count>]
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Case, cases, headersOf, methodOf, targets } from './cases.js';
import { Catalogue } from './catalogue.js';
import { durablePeers, legend, peers, service } from './contestants.js';
import { type Sample, sendLoad } from './load.js';
import { MeasuredServer, rootPath } from './measured-server.js';
import { describeMachine, formatRange, rangeOf, tableOf } from './report.js';

const { values: options } = parseArgs({
  options: { quick: { type: 'boolean' }, json: { type: 'boolean' }, rounds: { type: 'string' } },
});
/** The durations are in seconds: of the warm-up of each server, and of each load. */
const effort = options.quick
  ? { rounds: 1, warmUp: 2, load: 1, starts: 3 }
  : { rounds: Number(options.rounds ?? 5), warmUp: 10, load: 2, starts: 9 };

/** The samples of one case with a number of connections, by server, one per round. */
type Row = Map<string, Sample[]>;

// Child processes and temporary files are removed when this process exits.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
prepare();
const machine = describeMachine();
const catalogue = new Catalogue();
const rows = new Map<string, Row>();
for (let round = 1; round <= effort.rounds; round += 1) {
  for (const connections of [32, 1]) {
    console.error(`Round ${String(round)} of ${String(effort.rounds)}, connections: ${String(connections)}`);
    await playRound(connections);
  }
}
console.error(`${String(effort.starts)} starts of each server`);
report(await measureStarts());
process.exit();

/** wrk sends the loads. The packages of the peers are not dependencies of the service. */
function prepare(): void {
  for (const program of ['wrk', 'taskset'])
    if (spawnSync(program, ['--version']).error) throw new Error(`Install ${program} to run the benchmark.`);
  const cwd = rootPath('scripts/bench');
  if (existsSync(`${cwd}/node_modules`)) return;
  if (spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd, stdio: ['ignore', 2, 2] }).status !== 0)
    throw new Error('Cannot install the packages of the peers.');
}

async function playRound(connections: number): Promise<void> {
  const contestants = [service, ...peers, ...(connections === 1 ? durablePeers : [])];
  const servers: MeasuredServer[] = [];
  try {
    for (const contestant of contestants) servers.push(await MeasuredServer.start(contestant, catalogue.copy()));
    for (const of of cases) await requireSameResponses(of, servers);
    const seconds = Math.ceil(effort.warmUp / cases.length);
    for (const server of servers)
      for (const of of casesOf(server)) await sendLoad(server, of, catalogue, { connections, seconds });
    for (const of of cases) {
      for (const server of servers.filter((server) => casesOf(server).includes(of))) {
        const sample = await sendLoad(server, of, catalogue, { connections, seconds: effort.load });
        addSample(`${of.name} ${String(connections)}`, server.name, sample);
      }
    }
  } finally {
    for (const server of servers) await server.stop();
  }
}

/** The cases in which a server takes part: `bare` validates nothing, and only creations depend on `synchronous`. */
function casesOf({ name }: { readonly name: string }): readonly Case[] {
  const isDurable = durablePeers.some((peer) => peer.name === name);
  if (isDurable) return cases.filter((of) => of.name === 'createPet');
  return name === 'bare' ? cases.filter(({ status }) => status < 400) : cases;
}

/** @throws if a server returns another status or, in a success, another body than the service, except for ids. */
async function requireSameResponses(of: Case, servers: readonly MeasuredServer[]): Promise<void> {
  let expected: string | undefined;
  for (const { name, url } of servers.filter((server) => casesOf(server).includes(of))) {
    const init = { method: methodOf(of), headers: headersOf(of, catalogue.token), body: of.body ?? null };
    const response = await fetch(`${url}${of.paths[0] ?? ''}`, init);
    const body = (await response.text()).replace(/"id":\d+/g, '"id":0');
    expected ??= of.status < 400 ? body : '';
    if (response.status !== of.status || (of.status < 400 && body !== expected))
      throw new Error(`${name} responds to ${of.name} with ${String(response.status)} ${body}, not ${expected}`);
  }
}

function addSample(title: string, name: string, sample: Sample): void {
  const row: Row = rows.get(title) ?? new Map<string, Sample[]>();
  rows.set(title, row.set(name, [...(row.get(name) ?? []), sample]));
}

/** Starts the service and each peer in turn, and waits for the first response of each. */
async function measureStarts() {
  const starts = [service, ...peers].map((contestant) => ({
    contestant,
    ms: [] as number[],
    mebibytes: [] as number[],
  }));
  for (let start = 0; start < effort.starts; start += 1) {
    for (const { contestant, ms, mebibytes } of starts) {
      const server = await MeasuredServer.start(contestant, catalogue.copy());
      ms.push(server.startMs);
      mebibytes.push(server.residentMebibytes);
      await server.stop();
    }
  }
  return starts.map(({ contestant, ms, mebibytes }) => ({
    server: contestant.name,
    startMs: rangeOf(ms),
    mebibytes: rangeOf(mebibytes),
  }));
}

/** The cost of a case for each server, and the CPU time of each peer divided by that of the service, round by round. */
function comparisons() {
  return [...rows].flatMap(([title, row]) => {
    const own = row.get(service.name) ?? [];
    return [...row].map(([server, samples]) => ({
      case: title,
      server,
      cpuUs: rangeOf(samples.map(({ cpuUs }) => cpuUs)),
      perSecond: rangeOf(samples.map(({ perSecond }) => perSecond)),
      p99Ms: rangeOf(samples.map(({ p99Ms }) => p99Ms)),
      ratio: rangeOf(samples.map(({ cpuUs }, round) => cpuUs / (own[round]?.cpuUs ?? NaN))),
      target: targets[title]?.[server],
    }));
  });
}

function report(starts: Awaited<ReturnType<typeof measureStarts>>): void {
  if (options.json) {
    console.log(JSON.stringify({ isCitable: !options.quick, machine, effort, comparisons: comparisons(), starts }));
    return;
  }
  console.log(
    Object.entries(machine)
      .map((entry) => entry.join(': '))
      .join(', '),
  );
  console.log(legend.join('\n'));
  if (options.quick) console.log('A quick run: do not cite its results.');
  const heads = ['case, connections', 'server', 'CPU µs', 'ratio (range)', 'target', 'requests/s', 'p99 ms'];
  const lines = comparisons().map(({ server, cpuUs, perSecond, p99Ms, ratio, target, ...one }) => [
    one.case,
    server,
    cpuUs.median.toFixed(1),
    server === service.name ? '' : formatRange(ratio, 2),
    target === undefined ? '' : `≥ ${String(target)}: ${ratio.median >= target ? 'met' : 'missed'}`,
    perSecond.median.toFixed(0),
    p99Ms.median.toFixed(1),
  ]);
  console.log(`\n${tableOf(heads, lines)}\n`);
  const startLines = starts.map(({ server, startMs, mebibytes }) => [
    server,
    formatRange(startMs, 0),
    formatRange(mebibytes, 0),
  ]);
  console.log(tableOf(['start', 'ms to the first response', 'MiB'], startLines));
}
