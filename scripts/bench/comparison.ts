import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type Case, cases, requestOf } from './cases.js';
import { createCatalogue } from './catalogue.js';
import { casesOf, type Effort, measure, type Result } from './measure.js';
import { type MeasuredServer, service } from './measured-server.js';
import { rootPath } from './paths.js';

/** Measures the service and its peers on the same data, with 32 connections and with one. */
export async function compareServers(effort: Effort): Promise<Result[]> {
  const cwd = rootPath('scripts/bench');
  // The packages of the peers are not dependencies of the service.
  if (!existsSync(`${cwd}/node_modules`)) execFileSync('npm', ['ci', '--no-audit'], { cwd, stdio: ['ignore', 2, 2] });
  const catalogue = createCatalogue();
  const contestants = programs.map((program) => ({ ...program, catalogue }));
  return measure({ contestants, cases, connections: [32, 1], prepare: createResponseCheck() }, effort);
}

const peer = (name: string) => ({ name, args: [`scripts/bench/peers/${name.toLowerCase()}.js`] });

/** For programs that are measured only with many connections, so that a run takes less time. */
const connections = [32];

const programs = [
  service,
  // Its handlers return objects.
  { ...service, ...peer('objects'), measuredIn: ['getPet', 'listPets'], connections },
  { ...service, name: 'metrics', env: { ...service.env, METRICS_PORT: '0' }, measuredIn: ['getPet'], connections },
  peer('glue'),
  // Its creations are as durable as those of the service; the others use `synchronous=NORMAL`.
  { ...peer('glue'), name: 'glue FULL', env: { SYNCHRONOUS: 'FULL' }, measuredIn: ['createPet'] },
  // It validates nothing.
  { ...peer('bare'), serves: ['getPet', 'listPets', 'createPet'] },
  // The router of contract-server in an Express application, with its quotas in memory.
  { ...peer('router'), connections },
  { ...peer('router'), name: 'router, listen', env: { LISTEN: 'on' }, connections },
  { ...peer('stock'), connections },
  { ...peer('EOV'), connections },
];

/** Returns a check that throws if a server's status, media type or body differs from that of the first server. */
function createResponseCheck() {
  const expected = new Map<Case, string>();
  return async ({ contestant, url }: MeasuredServer): Promise<void> => {
    for (const of of casesOf(contestant, cases)) {
      const { catalogue, name } = contestant;
      const path = String(of.pathsOf(catalogue.pets)[0]);
      const response = await fetch(`${url}${path}`, requestOf(of, catalogue.tokens[0]));
      const actual = await describeResponse(response);
      if (!expected.has(of)) expected.set(of, actual);
      if (response.status !== of.status || actual !== expected.get(of))
        throw new Error(`${name}, ${of.name}: ${actual}, not ${String(expected.get(of))}`);
    }
  };
}

/** What is the same in the responses of all servers: not ids, and not the texts of errors. */
async function describeResponse(response: Response): Promise<string> {
  const [mediaType] = (response.headers.get('content-type') ?? '').split(';');
  const text = (await response.text()).replace(/"id":\d+/g, '"id":0');
  const body = response.ok ? text : Object.keys(JSON.parse(text) as object).join();
  return [response.status, mediaType, body].join(' ');
}
