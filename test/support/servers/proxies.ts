import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ListeningAddress } from '@contract-server/test-support/clients/raw-connection.js';
import { freePort } from '@contract-server/test-support/machine/free-port.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { Nginx, startNginxTls } from './nginx.js';
import { replaceAll, startProgram } from './program.js';

/** A proxy with a file in `deploy/`. */
export interface Proxy {
  readonly name: string;
  readonly program: string;
  /** Prints the version. */
  readonly versionOption: string;
  /** In `deploy/`. */
  readonly file: string;
  /** Whether it distributes requests to several nodes. */
  readonly isBalancer: boolean;
  /**
   * Starts it with the file, in which only the addresses are replaced, and the time for the body of a client, if it has
   * one. It is stopped after the test or suite.
   */
  readonly start: (nodes: Nodes, bodyTimeoutSeconds?: number) => Promise<ListeningAddress>;
}

/** Two nodes, each as `host:port`. */
export type Nodes = readonly [string, string];
type Changes = Parameters<typeof replaceAll>[1];

/** Where a program runs. */
interface Place {
  readonly directory: string;
  /** Where the text of the configuration is written. */
  readonly file: string;
  readonly port: number;
}

/** The program, its arguments, and its configuration, if that differs from the text. */
interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly text?: string;
}

const deploy = new URL('../../../../deploy/', import.meta.url);
const portOf = (address: string) => Number(address.split(':')[1]);

export const proxies: readonly Proxy[] = [
  {
    ...{ name: 'nginx', program: 'nginx', versionOption: '-v', file: 'nginx.conf', isBalancer: true },
    start: ([one, other], bodyTimeoutSeconds = 25) =>
      Nginx.start([portOf(one), portOf(other), portOf(other)], { bodyTimeoutSeconds }),
  },
  {
    ...{ name: 'nginx, TLS', program: 'nginx', versionOption: '-v', file: 'nginx-tls.conf', isBalancer: false },
    start: ([one], bodyTimeoutSeconds = 25) => startNginxTls(portOf(one), { bodyTimeoutSeconds }),
  },
  {
    ...{ name: 'HAProxy', program: 'haproxy', versionOption: '-v', file: 'proxies/haproxy.cfg', isBalancer: true },
    start: (nodes) => start('proxies/haproxy.cfg', nodes, runHaproxy),
  },
  {
    ...{ name: 'Apache', program: 'apache2', versionOption: '-v', file: 'proxies/apache.conf', isBalancer: true },
    start: (nodes, bodyTimeoutSeconds = 25) =>
      start('proxies/apache.conf', nodes, runApache, [[/(body=)25/, `$1${String(bodyTimeoutSeconds)}`]]),
  },
  {
    ...{ name: 'Varnish', program: 'varnishd', versionOption: '-V', file: 'proxies/varnish.vcl', isBalancer: true },
    start: (nodes) => start('proxies/varnish.vcl', nodes, runVarnish),
  },
  {
    ...{ name: 'Caddy', program: 'caddy', versionOption: 'version', file: 'proxies/Caddyfile', isBalancer: true },
    start: (nodes, bodyTimeoutSeconds = 60) =>
      start('proxies/Caddyfile', nodes, runCaddy, [[/(read_body )60s/, `$1${String(bodyTimeoutSeconds)}s`]]),
  },
];

/** The major and minor version of the installed program. */
export function versionOf({ program, versionOption }: Pick<Proxy, 'program' | 'versionOption'>): string {
  const { stdout, stderr } = spawnSync(program, [versionOption], { encoding: 'utf8' });
  return /\d+\.\d+/.exec(stdout + stderr)?.[0] ?? '';
}

async function start(
  path: string,
  nodes: Nodes,
  describe: (text: string, place: Place) => Command,
  changes: Changes = [],
): Promise<ListeningAddress> {
  const [directory, port] = [temporaryDirectory(), await freePort()];
  const file = join(directory, 'configuration');
  const text = replaceAll(await readFile(new URL(path, deploy), 'utf8'), [...nodes.flatMap(nodeChanges), ...changes]);
  const { program, args, text: configuration = text } = describe(text, { directory, file, port });
  await writeFile(file, configuration);
  await startProgram(program, args, port, { XDG_CONFIG_HOME: directory, XDG_DATA_HOME: directory });
  return { port };
}

/** The files have the nodes 10.0.0.11:8080 and 10.0.0.12:8080, some with the port on the next line. */
function nodeChanges(node: string, index: number): Changes {
  const [host = '', port = ''] = node.split(':');
  return [[new RegExp(`10\\.0\\.0\\.1${String(index + 1)}(:|";\\s+\\.port = ")8080`), `${host}$1${port}`]];
}

function runHaproxy(text: string, { file, port }: Place): Command {
  const changes: Changes = [[/bind :8080/, `bind 127.0.0.1:${String(port)}`]];
  return { program: 'haproxy', args: ['-db', '-f', file], text: replaceAll(text, changes) };
}

/** Debian's main file loads the modules, and runs the workers as this user. */
function runApache(text: string, { directory, file, port }: Place): Command {
  const [, modules = ''] = /^# a2enmod (.+)$/m.exec(text) ?? [];
  const own = ['mpm_event', 'authz_core', 'proxy', 'slotmem_shm', ...modules.split(' ')];
  const lines = [
    ...[`ServerRoot ${directory}`, `DefaultRuntimeDir ${directory}`, 'PidFile apache.pid', 'ErrorLog error.log'],
    ...['ServerName localhost', `Listen 127.0.0.1:${String(port)}`, 'User www-data', 'Group www-data'],
    ...own.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`),
    replaceAll(text, [[/\*:8080/, `127.0.0.1:${String(port)}`]]),
  ];
  return { program: 'apache2', args: ['-D', 'FOREGROUND', '-f', file], text: lines.join('\n') };
}

/** Its options are in the file, too. */
function runVarnish(text: string, { directory, file, port }: Place): Command {
  const [, options = ''] = /^# varnishd (.+)$/m.exec(text) ?? [];
  const replaced = replaceAll(options, [
    [/:8080/, `127.0.0.1:${String(port)}`],
    [/\/etc\/varnish\/default\.vcl/, file],
  ]);
  return { program: 'varnishd', args: ['-F', '-j', 'none', '-n', directory, ...replaced.split(' ')] };
}

function runCaddy(text: string, { file, port }: Place): Command {
  const changes: Changes = [
    [/^\{$/m, '{\nadmin off'],
    [/http:\/\/:8080 \{/, `http://:${String(port)} {\nbind 127.0.0.1`],
  ];
  const args = ['run', '--adapter', 'caddyfile', '--config', file];
  return { program: 'caddy', args, text: replaceAll(text, changes) };
}
