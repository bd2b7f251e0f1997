import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { addressPlace, type Case, type LoadRequest } from './cases.js';
import { pinned } from './cores.js';
import { rootPath } from './root-path.js';
import { startProcess } from './start-process.js';
import { temporaryDirectory } from './temporary-directory.js';

/** The number of connections and the duration of a load. */
export interface LoadSize {
  readonly connections: number;
  readonly seconds: number;
}

/** The result of a load generator. */
export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Number of responses with a status of 400 or more, and of failed connections. */
  readonly refused: number;
  readonly failed: number;
}

/** Maximum number of requests of a load, whatever its duration. */
const requestsMax = 1_000_000;

/** Sends loads with wrk or, where that is not installed, with autocannon. */
export class LoadGenerator {
  readonly name = spawnSync('wrk', ['--version']).error === undefined ? 'wrk' : 'autocannon';

  private readonly directory = temporaryDirectory();

  /** @param core the CPU core that it runs on. */
  constructor(private readonly core: number | undefined) {}

  /** @throws if a response does not have the status of the case. */
  async run(url: string, of: Case, { connections, seconds }: LoadSize): Promise<LoadResult> {
    const file = join(this.directory, `${of.name}.${this.name === 'wrk' ? 'lua' : 'json'}`);
    await writeFile(file, this.name === 'wrk' ? luaScript(of.requests) : JSON.stringify(of.requests), { flag: 'w' });
    const [count, time] = [String(connections), String(seconds)];
    const [command, args] =
      this.name === 'wrk'
        ? pinned(this.core, 'wrk', [
            '--threads',
            '1',
            '--connections',
            count,
            '--duration',
            `${time}s`,
            '--timeout',
            '20s',
            '--script',
            file,
            url,
          ])
        : pinned(this.core, process.execPath, [
            rootPath('scripts/bench/autocannon.js'),
            url,
            file,
            count,
            time,
            String(requestsMax),
          ]);
    const child = startProcess(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    if (child.stdout === null) throw new Error('The load generator has no output.');
    // Its CPU time is known once it has ended.
    const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    const json = output.trim().split('\n').at(-1) ?? '';
    if (!json.startsWith('{')) throw new Error(`${this.name} failed: ${output}`);
    const result = JSON.parse(json) as LoadResult;
    requireStatus(result, of);
    return result;
  }
}

function requireStatus({ requests, refused, failed }: LoadResult, { name, status }: Case): void {
  const expected = status < 400 ? 0 : requests;
  if (failed > 0 || refused !== expected || requests === 0) {
    throw new Error(
      `Under load ${name} had ${String(refused)} errors in ${String(requests)} responses and ${String(failed)} ` +
        'failures.',
    );
  }
}

/**
 * The script for wrk: the bytes of the requests, and a summary as JSON. ASCII strings in JSON are valid in Lua.
 */
function luaScript(requests: readonly LoadRequest[]): string {
  const isNumbered = JSON.stringify(requests).includes(addressPlace);
  return `
local requests = {
${requests.map((request) => `  ${JSON.stringify(rawRequest(request))},`).join('\n')}
}
local count = #requests
local sent = 0

function request()
  sent = sent + 1
  if sent >= ${String(requestsMax)} then wrk.thread:stop() end
  local request = requests[(sent - 1) % count + 1]
${isNumbered ? `  return (request:gsub('${addressPlace}', string.format('10.%d.%d.%d', math.floor(sent / 65536), math.floor(sent / 256) % 256, sent % 256)))` : '  return request'}
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format('\\n{"requests":%d,"seconds":%f,"p50Ms":%f,"p99Ms":%f,"refused":%d,"failed":%d}\\n', summary.requests,
    summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
`;
}

function rawRequest({ method, path, headers, body = '' }: LoadRequest): string {
  const length = body === '' ? [] : [`Content-Length: ${String(body.length)}`];
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    ...Object.entries(headers).map((header) => header.join(': ')),
    ...length,
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}
