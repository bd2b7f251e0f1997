import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { acceptsFiles } from '@contract-server/core/bodies/request-body.js';
import type { Contract } from '@contract-server/core/contract/contract.js';
import type { Config } from '../../config.js';
import { openFilesMax } from '../../http/bodies/temporary-files.js';
import { dayMs } from '../../rate-limits/decide.js';
import { findApiKeys, type ServiceDefinition } from '../../service/definition.js';
import type { OpenService } from '../../service/open-service.js';
import type { CommandContext } from '../context.js';

/** How long before the removal of an operation each start warns about it. */
const removalNoticeMs = 90 * dayMs;

/** File descriptors that a node needs besides its connections: for databases, Redis, the log and Node. */
const otherFiles = 100;
/** The modes with which the group and others may change a directory, and reach the files in it. */
const writable = 0o022;
const searchable = 0o011;

/** A configuration that works but is probably wrong: the problem and its solution. */
type Warning = Readonly<Record<'code' | 'text', string>>;

/** Returns warnings for the start, each of which is logged and printed. */
export async function findWarnings(
  definition: ServiceDefinition,
  config: Config,
  service: OpenService,
  contract: Contract,
  { clock }: Pick<CommandContext, 'clock'>,
): Promise<readonly Warning[]> {
  return [
    ...linkWarnings(config),
    ...removalWarnings(contract, clock()),
    ...(findApiKeys(definition) === undefined ? [] : quotaWarnings(definition, config, service)),
    ...(await fileLimitWarnings(config, acceptsFiles(contract) ? openFilesMax : 0)),
    ...(await permissionWarnings(definition, config)),
  ];
}

function linkWarnings(config: Config): Warning[] {
  if (config.publicBaseUrl !== undefined || isLoopback(config.host)) return [];
  const text = "links lead to the listener's own address, which clients elsewhere cannot reach. Set PUBLIC_BASE_URL.";
  return [{ code: 'public_base_url_unset', text }];
}

function removalWarnings({ operations }: Contract, now: number): Warning[] {
  const warnings: Warning[] = [];
  for (const { id, deprecation } of operations) {
    const { sunsetAt, successor } = deprecation ?? {};
    if (sunsetAt === undefined || now < sunsetAt - removalNoticeMs) continue;
    const days = Math.ceil((sunsetAt - now) / dayMs);
    const when = days > 0 ? `will be removed in ${String(days)} days` : 'is removed and returns 410';
    const instead = successor === undefined ? '' : ` Clients use ${successor} instead.`;
    warnings.push({ code: 'operation_removal', text: `${id} ${when}.${instead}` });
  }
  return warnings;
}

/** Sharing only the data or only the quotas works on a single node only. */
function quotaWarnings({ quotas: shared }: ServiceDefinition, config: Config, { quotas }: OpenService): Warning[] {
  const { redis, databaseUrl, dataDirectory = '' } = config;
  const advice = shared === undefined ? '' : ', or set REDIS_URL';
  const local = `The data is in PostgreSQL, but quotas are in the memory of each node. Run one node${advice}.`;
  if (redis === undefined) return databaseUrl === undefined ? [] : [{ code: 'quotas_local', text: local }];
  const alone =
    `Requests are counted in Redis, but the data is in ${dataDirectory} on this machine alone. ` +
    'Run one node, set DATABASE_URL, or leave REDIS_URL out.';
  const degraded =
    `This node counts by itself until Redis can be used at ${redis.description}. ` +
    'Check Redis, or correct REDIS_URL.';
  return [
    ...(databaseUrl === undefined ? [{ code: 'quotas_shared_alone', text: alone }] : []),
    ...(quotas.isDegraded ? [{ code: 'redis_unreachable', text: degraded }] : []),
  ];
}

/**
 * Without descriptors, connections are closed without a response and without an event of Node. It raises the soft limit
 * to the hard limit when it starts. Without /proc, the limit is unknown.
 */
async function fileLimitWarnings({ connectionsMax }: Config, uploadsMax: number): Promise<Warning[]> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const limit = Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Infinity);
  const others = otherFiles + uploadsMax;
  const needed = connectionsMax + others;
  if (needed <= limit) return [];
  const fitting = String(Math.max(limit - others, 1));
  const problem = `MAX_CONNECTIONS is ${String(connectionsMax)}, but the process may open ${String(limit)} files.`;
  const resolution = `Raise that limit (ulimit -n) to ${String(needed)}, or set MAX_CONNECTIONS to at most ${fitting}.`;
  return [{ code: 'file_descriptor_limit', text: `${problem} ${resolution}` }];
}

/** Windows has no mode bits. With PostgreSQL, the directory contains no data. */
async function permissionWarnings(
  { name }: ServiceDefinition,
  { dataDirectory, databaseUrl }: Config,
): Promise<Warning[]> {
  if (process.platform === 'win32' || dataDirectory === undefined || databaseUrl !== undefined) return [];
  const { mode } = await stat(dataDirectory);
  const files = (await readdir(dataDirectory)).filter((file) => file.startsWith(`${name}.db`));
  const modes = await Promise.all(files.map((file) => modeOf(join(dataDirectory, file))));
  // The group and others can read or write a file if they may also search the directory.
  const reachable = (mode & searchable) * 0o6;
  if ((mode & writable) === 0 && modes.every((each) => (each & reachable) === 0)) return [];
  const text = `other users of this machine can reach the files in ${dataDirectory}. Run chmod -R go= ${dataDirectory}`;
  return [{ code: 'data_open_to_other_users', text }];
}

/** SQLite may have removed the file since. */
async function modeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ mode }) => mode,
    () => 0,
  );
}

/** Whether only this machine can reach a listener on the host. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}
