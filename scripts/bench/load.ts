import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Case, requestOf } from './cases.js';
import type { MeasuredServer } from './measured-server.js';
import { temporaryDirectory } from './paths.js';

/** Sends the requests of a file in turn, each of which ends with the byte 1. */
const luaScript = `
local requests, sent = {}, 0
function init(args)
  for request in io.open(args[1]):read('*a'):gmatch('([^\\1]+)\\1') do requests[#requests + 1] = request end
end
function request()
  sent = sent + 1
  return requests[(sent - 1) % #requests + 1]
end`;
const directory = temporaryDirectory();
const [script, file] = [join(directory, 'wrk.lua'), join(directory, 'requests')];
writeFileSync(script, luaScript);

/**
 * Repeats the requests of a case with wrk, with every path and every API key in turn. Returns the CPU time of a
 * request, in microseconds, the requests per second, and the 99th percentile of the time of a response, in
 * milliseconds.
 *
 * @throws if a response has another status than the case.
 */
export async function sendLoad(server: MeasuredServer, of: Case, connections: number, seconds: number) {
  const { name, catalogue } = server.contestant;
  const [paths, { tokens }] = [of.pathsOf(catalogue.pets), catalogue];
  const requests = Array.from({ length: Math.max(paths.length, tokens.length) }, (_, index) =>
    rawRequest(of, paths[index % paths.length] ?? '', tokens[index % tokens.length]),
  );
  writeFileSync(file, requests.map((request) => `${request}\x01`).join(''));
  const command = `wrk --latency -t 1 -c ${String(connections)} -d ${String(seconds)}s -s ${script} ${server.url} -- ${file}`;
  const before = server.cpuUs();
  const wrk = spawn('taskset', ['--cpu-list', '1', ...command.split(' ')], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output] = await Promise.all([text(wrk.stdout), once(wrk, 'exit')]);
  const cpuUs = server.cpuUs() - before;
  const numberIn = (pattern: RegExp) => Number(pattern.exec(output)?.[1] ?? 0);
  const count = numberIn(/([0-9]+) requests in/);
  const errors = numberIn(/Non-2xx or 3xx responses: ([0-9]+)/);
  if (count === 0 || output.includes('Socket errors') || errors !== (of.status < 400 ? 0 : count))
    throw new Error(`${name}, ${of.name}: unexpected responses.\n${output}`);
  const [, p99 = '0', unit = 'ms'] = /99% +([0-9.]+)(us|ms|s)/.exec(output) ?? [];
  const p99Ms = Number(p99) * { us: 0.001, ms: 1, s: 1000 }[unit as 'us' | 'ms' | 's'];
  return { cpuUs: cpuUs / count, perSecond: numberIn(/Requests\/sec: +([0-9.]+)/), p99Ms };
}

export function rawRequest(of: Case, path: string, token?: string): string {
  const { method, headers, body } = requestOf(of, token);
  const fields = Object.entries({ Host: '127.0.0.1', ...headers }).map((field) => field.join(': '));
  if (body !== null) fields.push(`Content-Length: ${String(body.length)}`);
  return [`${method} ${path} HTTP/1.1`, ...fields, '', body ?? ''].join('\r\n');
}
