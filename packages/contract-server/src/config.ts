import { UsageError } from './lib/errors.js';
import { integer, parseHost, parseOrigins, parseTrustProxy, requireOneOf } from './lib/setting-parsers.js';
import { type ContractDocument, keyPrefixesOf } from './openapi/document.js';
import { basePathOf } from './openapi/servers.js';
import { parseRedisTarget } from './rate-limits/redis-target.js';

/** One setting: `--help` lists its name, default, unit and description. */
interface Setting {
  /** The environment variable. */
  readonly name: string;
  /** Whether the name of the service precedes it, such as `LIBRARY_`. */
  readonly isPrefixed?: boolean;
  /** Without a default, the setting is optional: `undefined` if the variable is unset or empty. */
  readonly default?: string;
  readonly unit: string;
  readonly description: string;
  /** Whether the value may contain a password or a key: no message repeats it. */
  readonly secret?: true;
  /** Throws an Error whose message completes "it …". */
  readonly parse: (text: string, contract: ContractDocument) => unknown;
}

const parseCount = integer(1, 9_999_999);
const parsePort = integer(0, 65_535);

/** Every setting, by its name in `Config`. */
export const settings = {
  host: {
    name: 'HOST',
    default: '127.0.0.1',
    unit: 'IP address',
    description: 'Address to listen on; 0.0.0.0 or :: listens on every interface.',
    parse: parseHost,
  },
  port: {
    name: 'PORT',
    default: '8080',
    unit: 'TCP port',
    description: 'Port to listen on; 0 selects a free port.',
    parse: parsePort,
  },
  dataDirectory: {
    name: 'DATA_DIR',
    default: 'data',
    unit: 'path',
    description: 'Directory of the embedded database; created if missing.',
    parse: (text) => text,
  },
  databaseUrl: {
    name: 'DATABASE_URL',
    unit: 'URL',
    description: 'PostgreSQL for the data: postgres://user:password@host/database; if empty, SQLite.',
    secret: true,
    parse: parseDatabaseUrl,
  },
  redis: {
    name: 'REDIS_URL',
    unit: 'URL',
    description: 'Redis that counts requests for all nodes: redis://user:password@host:6379/0; optional on one node.',
    secret: true,
    parse: parseRedisTarget,
  },
  environment: {
    name: 'ENVIRONMENT',
    isPrefixed: true,
    default: '',
    unit: 'name',
    description: 'Environment whose API keys are accepted, of x-key-prefixes in the contract; if empty, the first one.',
    parse: parseEnvironment,
  },
  publicBaseUrl: {
    name: 'PUBLIC_BASE_URL',
    unit: 'URL',
    description:
      "URL of the API for its clients, with the path prefix of the contract; if empty, the listener's own address.",
    secret: true,
    parse: parseBaseUrl,
  },
  trustProxy: {
    name: 'TRUST_PROXY',
    unit: 'number or addresses',
    description: 'Proxies to trust for the client address: a number, or addresses and networks, separated by commas.',
    parse: parseTrustProxy,
  },
  corsOrigins: {
    name: 'CORS_ORIGINS',
    default: '',
    unit: 'origins',
    description: 'Origins of web pages that may call the service, separated by commas; if empty, CORS is disabled.',
    parse: parseOrigins,
  },
  connectionsMax: {
    name: 'MAX_CONNECTIONS',
    default: '10000',
    unit: 'connections',
    description: 'Maximum number of open connections; further connections are closed immediately.',
    parse: parseCount,
  },
  connectionsPerAddressMax: {
    name: 'MAX_CONNECTIONS_PER_ADDRESS',
    default: '256',
    unit: 'connections',
    description: 'Maximum number of open connections per client address; more are closed; 0 disables the limit.',
    parse: integer(0, 9_999_999),
  },
  concurrentRequestsMax: {
    name: 'MAX_CONCURRENT_REQUESTS',
    default: '1000',
    unit: 'requests',
    description: 'Maximum number of requests processed at the same time; further requests get a 503 immediately.',
    parse: parseCount,
  },
  requestTimeoutSeconds: {
    name: 'REQUEST_TIMEOUT_SECONDS',
    default: '50',
    unit: 'seconds',
    description: 'Maximum time for a request to arrive, including its body; then, it gets a 408.',
    parse: integer(1, 3600),
  },
  drainTimeoutSeconds: {
    name: 'DRAIN_TIMEOUT_SECONDS',
    default: '6',
    unit: 'seconds',
    description: 'Maximum time for the requests in progress at a shutdown; then, their connections are closed.',
    parse: integer(0, 3600),
  },
  databaseConnectionsMax: {
    name: 'MAX_DATABASE_CONNECTIONS',
    default: '10',
    unit: 'connections',
    description: 'Maximum number of connections to DATABASE_URL; a request waits up to 0.8 s for a free one.',
    parse: parseCount,
  },
  logLevel: {
    name: 'LOG_LEVEL',
    default: 'info',
    unit: 'level',
    description: 'debug, info, warn, error or silent; from warn on, only requests with a 500 or 503 are logged.',
    parse: (text) => requireOneOf(['debug', 'info', 'warn', 'error', 'silent'], text),
  },
  metricsHost: {
    name: 'METRICS_HOST',
    default: '127.0.0.1',
    unit: 'IP address',
    description: 'Address to serve metrics on; choose one that clients of the service cannot reach.',
    parse: parseHost,
  },
  metricsPort: {
    name: 'METRICS_PORT',
    unit: 'TCP port',
    description: 'Port of /metrics, /healthz and /readyz; 0 selects a free port; if empty, metrics are disabled.',
    parse: parsePort,
  },
} as const satisfies Readonly<Record<string, Setting>>;

/** A setting as `--help` describes it, under the name of its environment variable. */
export type SettingDescription = Pick<Setting, 'name' | 'default' | 'unit' | 'description'>;

/** The settings of a service. */
export function settingsOf(service: Named): readonly SettingDescription[] {
  return Object.values<Setting>(settings).map((setting) => ({ ...setting, name: variableOf(setting, service) }));
}

interface Named {
  /** The name of the service. */
  readonly name: string;
}

function variableOf({ name, isPrefixed = false }: Setting, service: Named): string {
  return isPrefixed ? `${service.name.toUpperCase().replaceAll('-', '_')}_${name}` : name;
}

/** The parsed settings. */
export type Config = {
  readonly [Key in keyof typeof settings]:
    | ReturnType<(typeof settings)[Key]['parse']>
    | ((typeof settings)[Key] extends { readonly default: string } ? never : undefined);
};

/**
 * Reads the settings from environment variables. Overrides replace variables, which are then not read.
 *
 * @throws UsageError with a line for each invalid setting.
 */
export function readConfig(
  service: Named,
  env: NodeJS.ProcessEnv,
  contract: ContractDocument,
  overrides: Partial<Config> = {},
): Config {
  const errors: string[] = [];
  const values: Record<string, unknown> = { ...overrides };
  const read = Object.entries<Setting>(settings).filter(([key]) => !(key in overrides));
  for (const [key, setting] of read) {
    const { default: defaultText, secret, parse } = setting;
    const name = variableOf(setting, service);
    const text = env[name] || defaultText;
    try {
      values[key] = text === undefined ? text : parse(text, contract);
    } catch (error) {
      const shown = secret ? '…' : String(text);
      errors.push(`${name}=${shown} is invalid; it ${(error as Error).message}`);
    }
  }
  const { port, metricsPort } = values as Config;
  if (metricsPort === port && port > 0)
    errors.push(`METRICS_PORT=${String(port)} is invalid; it must differ from PORT`);
  if (errors.length > 0) throw new UsageError(errors.join('\n'));
  return Object.freeze(values as Config);
}

function parseEnvironment(text: string, contract: ContractDocument): string {
  const names = Object.keys(keyPrefixesOf(contract)) as [string, ...string[]];
  return text === '' ? names[0] : requireOneOf(names, text);
}

function parseDatabaseUrl(text: string): string {
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text))
    throw new Error('must be a URL like postgres://user:password@host:5432/database');
  return text;
}

/** Rejects a query, a fragment and user information: paths are appended to the URL; clients see it. */
function parseBaseUrl(text: string, contract: ContractDocument): string {
  const basePath = basePathOf(contract);
  const { protocol, origin, pathname, href } = new URL(URL.canParse(text) ? text : 'invalid:');
  if (!/^https?:$/.test(protocol) || href !== origin + pathname || !pathname.endsWith(basePath))
    throw new Error(`must be an http or https URL${basePath && ` that ends in ${basePath}`}`);
  // Without a path, `href` ends in a slash.
  return href.replace(/\/$/, '');
}
