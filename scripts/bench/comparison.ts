import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cases, requestOf } from './cases.js';
import { createCatalogue } from './catalogue.js';
import { type Effort, measure, type Result, takesPart } from './measure.js';
import { type MeasuredServer, service } from './measured-server.js';
import { rootPath } from './paths.js';

/** Measures the service and its peers on the same data, with 32 connections and with one. */
export async function compareServers(effort: Effort): Promise<Result[]> {
  const cwd = rootPath('scripts/bench');
  // The packages of the peers are not dependencies of the service.
  if (!existsSync(`${cwd}/node_modules`)) execFileSync('npm', ['ci', '--no-audit'], { cwd, stdio: ['ignore', 2, 2] });
  const catalogue = createCatalogue();
  const metrics = { ...service, name: 'metrics', env: { ...service.env, METRICS_PORT: '0' }, cases: ['getPet'] };
  // Its handlers return objects.
  const objects = {
    ...service,
    name: 'objects',
    args: ['scripts/bench/peers/objects.js'],
    cases: ['getPet', 'listPets'],
  };
  const glue = { name: 'glue', args: ['scripts/bench/peers/glue.js'] };
  // It validates nothing.
  const bare = { name: 'bare', args: ['scripts/bench/peers/bare.js'], cases: ['getPet', 'listPets', 'createPet'] };
  // Its creations are as durable as those of the service; the others use `synchronous=NORMAL`.
  const glueFull = { ...glue, name: 'glue FULL', env: { SYNCHRONOUS: 'FULL' }, cases: ['createPet'] };
  const contestants = [service, objects, metrics, glue, bare, glueFull].map((program) => ({ ...program, catalogue }));
  return measure({ contestants, cases, connections: [32, 1], prepare: requireSameResponses }, effort);
}

/** @throws if a server returns another status or, in a success, another body than the service, except for ids. */
async function requireSameResponses(servers: readonly MeasuredServer[]): Promise<void> {
  for (const of of cases) {
    let expected: string | undefined;
    for (const { contestant, url } of servers.filter((server) => takesPart(server, of))) {
      const { pets, tokens } = contestant.catalogue;
      const response = await fetch(`${url}${String(of.pathsOf(pets)[0])}`, requestOf(of, tokens[0]));
      const body = of.status < 400 ? (await response.text()).replace(/"id":\d+/g, '"id":0') : '';
      expected ??= body;
      if (response.status !== of.status || body !== expected)
        throw new Error(`${contestant.name}, ${of.name}: ${String(response.status)} ${body}, not ${expected}`);
    }
  }
}
