import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Case, headersOf, methodOf } from './cases.js';
import type { Catalogue } from './catalogue.js';
import { type MeasuredServer, pinned } from './measured-server.js';

/** What a request cost. */
export interface Sample {
  /** The CPU time of the server for one request, in microseconds. */
  readonly cpuUs: number;
  readonly perSecond: number;
  readonly p99Ms: number;
}

/** What wrk has counted. */
interface WrkSummary extends Omit<Sample, 'cpuUs'> {
  readonly requests: number;
  /** The number of responses with a status of 400 or more, and of failed connections. */
  readonly errors: number;
  readonly failures: number;
}

/** Repeats the requests of a case with wrk, on core 1. @throws if a response does not have the status of the case. */
export async function sendLoad(
  server: MeasuredServer,
  of: Case,
  { token, home }: Catalogue,
  load: { readonly connections: number; readonly seconds: number },
): Promise<Sample> {
  const script = join(home, 'wrk.lua');
  writeFileSync(script, luaScript(of, token));
  const options = [
    '--threads',
    '1',
    '--connections',
    String(load.connections),
    '--duration',
    `${String(load.seconds)}s`,
  ];
  const before = server.cpuUs;
  const [command, args] = pinned(1, 'wrk', ...options, '--script', script, server.url);
  const wrk = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output] = await Promise.all([text(wrk.stdout), once(wrk, 'exit')]);
  const cpuUs = server.cpuUs - before;
  const { requests, errors, failures, perSecond, p99Ms } = JSON.parse(output.split('\n').at(-2) ?? '') as WrkSummary;
  if (requests === 0 || failures > 0 || errors !== (of.status < 400 ? 0 : requests))
    throw new Error(`${server.name}, ${of.name}: unexpected responses.\n${output}`);
  return { cpuUs: cpuUs / requests, perSecond, p99Ms };
}

/** Requests of the case in turn, and a summary as JSON. ASCII strings in JSON are valid in Lua. */
function luaScript(of: Case, token: string): string {
  const requests = of.paths.map((path) => JSON.stringify(rawRequest(of, path, token)));
  return `
local requests = {${requests.join(',\n')}}
local sent = 0
function request()
  sent = sent + 1
  return requests[(sent - 1) % #requests + 1]
end
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format('\\n{"requests":%d,"perSecond":%f,"p99Ms":%f,"errors":%d,"failures":%d}\\n', summary.requests,
    summary.requests / summary.duration * 1e6, latency:percentile(99) / 1e3, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout))
end`;
}

function rawRequest(of: Case, path: string, token: string): string {
  const headers = Object.entries(headersOf(of, token)).map((header) => header.join(': '));
  const length = of.body === undefined ? [] : [`Content-Length: ${String(of.body.length)}`];
  return [`${methodOf(of)} ${path} HTTP/1.1`, 'Host: 127.0.0.1', ...headers, ...length, '', of.body ?? ''].join('\r\n');
}
