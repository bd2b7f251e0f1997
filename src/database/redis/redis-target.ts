export interface RedisAddress {
  readonly host: string;
  readonly port: number;
}

/** The address of Redis, with credentials. */
export interface RedisTarget {
  /** A server at an address or a Unix socket, the master that Sentinels name, or a cluster. */
  readonly kind: 'server' | 'socket' | 'sentinel' | 'cluster';
  /** The server, the Sentinels, or some nodes of the cluster; empty for a socket. */
  readonly addresses: readonly RedisAddress[];
  /** The path of the socket. */
  readonly path: string | undefined;
  readonly masterName: string | undefined;
  readonly isEncrypted: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly database: number;
  /** The URL for logs, without credentials. */
  readonly description: string;
}

const defaultPorts = { server: 6379, sentinel: 26379, cluster: 6379 };

const formError =
  'must have a form like redis://user:password@host:6379/0 and begin with redis://, rediss://, redis-sentinel://, ' +
  'rediss-sentinel://, redis-cluster://, rediss-cluster:// or unix://; ' +
  'in a user or a password write @ as %40 and / as %2F.';

/**
 * Reads the address of a Redis or Valkey:
 *
 * - `redis://user:password@host:6379/0`, encrypted `rediss://…` (IANA's URI schemes);
 * - `redis-sentinel://user:password@host1:26379,host2:26379/0#master`, encrypted `rediss-sentinel://…`;
 * - `redis-cluster://user:password@host1:6379,host2:6379`, encrypted `rediss-cluster://…`;
 * - `unix://user:password@/run/redis/redis.sock?db=0`.
 *
 * @throws Error that describes the problem without the text, which may contain a password.
 */
export function parseRedisTarget(text: string): RedisTarget {
  const form = /^(redis|rediss)(?:-(sentinel|cluster))?:\/\/(?:([^@/]*)@)?([^@/?#]+)(?:\/([^/?#]*))?(?:#(.*))?$/.exec(
    text,
  );
  if (form === null) return parseSocket(text);
  const [, scheme, group = 'server', access = '', hosts = '', database = '', fragment = ''] = form;
  const kind = group as keyof typeof defaultPorts;
  const target = {
    kind,
    addresses: hosts.split(',').map((host) => parseAddress(host, defaultPorts[kind])),
    path: undefined,
    masterName: fragment === '' ? undefined : decode(fragment),
    isEncrypted: scheme === 'rediss',
    ...parseAccess(access),
    database: parseDatabase(database),
    description: withoutAccess(text),
  };
  requireConsistent(target);
  return target;
}

function requireConsistent({ kind, addresses, masterName, database }: RedisTarget): void {
  if (kind === 'server' && addresses.length > 1) {
    throw new Error('names several servers: begin with redis-sentinel:// or redis-cluster:// for those.');
  }
  if ((kind === 'sentinel') !== (masterName !== undefined)) {
    throw new Error('must end in # and the name of the master for Sentinels, and only for them.');
  }
  if (kind === 'cluster' && database !== 0) throw new Error('must not name a database: a cluster has only one.');
}

/** The form of redis-py; IANA registers none for sockets. */
function parseSocket(text: string): RedisTarget {
  const form = /^unix:\/\/(?:([^@/]*)@)?(\/[^?#]+)(?:\?db=([^&#]*))?$/.exec(text);
  if (form === null) throw new Error(formError);
  const [, access = '', path = '', database = ''] = form;
  return {
    kind: 'socket',
    addresses: [],
    path: decode(path),
    masterName: undefined,
    isEncrypted: false,
    ...parseAccess(access),
    database: parseDatabase(database),
    description: withoutAccess(text),
  };
}

function withoutAccess(text: string): string {
  return text.replace(/:\/\/[^@/]*@/, '://');
}

function parseAddress(text: string, defaultPort: number): RedisAddress {
  const url = URL.canParse(`redis://${text}`) ? new URL(`redis://${text}`) : undefined;
  if (url === undefined || url.hostname === '' || url.port === '0' || text.endsWith(':')) {
    throw new Error('must name hosts with ports from 1 to 65535, separated by commas.');
  }
  return { host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port: url.port === '' ? defaultPort : Number(url.port) };
}

function parseAccess(text: string): Pick<RedisTarget, 'username' | 'password'> {
  const [username = '', password = ''] = text.split(/:(.*)/s).map(decode);
  return { username: username === '' ? undefined : username, password: password === '' ? undefined : password };
}

function parseDatabase(text: string): number {
  if (!/^[0-9]{0,5}$/.test(text)) throw new Error('must end in the number of a database.');
  return Number(text);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('has an invalid percent-encoding; write %25 for a percent sign.');
  }
}
