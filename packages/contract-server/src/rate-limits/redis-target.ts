/** The address of a Redis or a Redis Cluster. */
export interface RedisTarget {
  /** The server, or some nodes of the cluster, as `@redis/client` parses them. */
  readonly urls: readonly string[];
  readonly isCluster: boolean;
  readonly isEncrypted: boolean;
  /** The credentials of every node of a cluster. */
  readonly username: string;
  readonly password: string;
  /** The URL for logs, without credentials. */
  readonly description: string;
}

const formError =
  'must have a form like redis://user:password@host:6379/0 and begin with redis://, rediss://, redis-cluster://, ' +
  'rediss-cluster:// or unix://; in a user or a password write @ as %40 and / as %2F.';

/**
 * Reads the address of a Redis or Valkey:
 *
 * - `redis://user:password@host:6379/0`, encrypted `rediss://…` (IANA's URI schemes);
 * - `redis-cluster://user:password@host1:6379,host2:6379`, encrypted `rediss-cluster://…`;
 * - `unix://user:password@/run/redis/redis.sock?db=0`.
 *
 * @throws Error that describes the problem without the text, which may contain a password.
 */
export function parseRedisTarget(text: string): RedisTarget {
  const form =
    /^(?:(rediss?)(-cluster)?:\/\/([^@/]*@)?([^@/?#]+)(\/\d{0,5})?|unix:\/\/([^@/]*@)?\/[^?#]+(\?db=\d+)?)$/.exec(text);
  if (form === null) throw new Error(formError);
  const [, scheme, cluster, credentials = '', hosts = '', database = ''] = form;
  const description = text.replace(/:\/\/[^@/]*@/, '://');
  const isCluster = cluster !== undefined;
  const target = { isCluster, isEncrypted: scheme === 'rediss', description };
  if (scheme === undefined) return { ...target, urls: [text], username: '', password: '' };
  const urls = hosts.split(',').map((host) => `${scheme}://${credentials}${host}${database}`);
  if (urls.length > 1 && !isCluster) throw new Error('names several servers: begin with redis-cluster:// for those.');
  if (isCluster && database.length > 1) throw new Error('must not name a database: a cluster has only one.');
  return { ...target, urls, ...parseCredentials(urls) };
}

/** Checks the URLs, which share their credentials. */
function parseCredentials(urls: readonly string[]): Pick<RedisTarget, 'username' | 'password'> {
  try {
    const parsed = urls.map((url) => new URL(url));
    if (parsed.some(({ hostname }) => hostname === '')) throw new Error(formError);
    const { username, password } = parsed[0] as URL;
    return { username: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    throw new Error(formError);
  }
}
