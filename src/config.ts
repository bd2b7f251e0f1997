import { isIP } from 'node:net';
import { parseRedisTarget, type RedisTarget } from './database/redis/redis-target.js';
import { StartError } from './lib/start-error.js';
import { type LogLevel, logLevels } from './observability/log-level.js';
import { basePathOf, type ContractDocument, keyPrefixesOf } from './openapi/document.js';

/** How the service is set up. Read once from the environment, then passed on in parts. */
export interface Config {
  readonly host: string;
  readonly port: number;
  readonly dataDirectory: string;
  /** Where animals and keys are kept, with its password; `undefined` for the embedded database. */
  readonly databaseUrl: string | undefined;
  readonly databaseConnectionsMax: number;
  /** Where requests are counted; `undefined` for the embedded database. */
  readonly redis: RedisTarget | undefined;
  /** Decides which keys are valid. */
  readonly keyPrefix: string;
  /** Without a trailing slash; `undefined` stands for the listener's own address. */
  readonly publicBaseUrl: string | undefined;
  /** How many proxies stand before the service, or their addresses; `undefined` for none. */
  readonly trustProxy: number | readonly string[] | undefined;
  /** The origins whose scripts may read answers. */
  readonly corsOrigins: readonly string[];
  readonly connectionsMax: number;
  readonly connectionsPerAddressMax: number;
  /** How many requests are worked on at a time. */
  readonly requestsMax: number;
  readonly logLevel: LogLevel;
  readonly metricsHost: string;
  /** `undefined` for no metrics. */
  readonly metricsPort: number | undefined;
}

/** One setting, as `petstore --help` and the README describe it. */
export interface Setting {
  readonly name: string;
  readonly fallback: string;
  readonly unit: string;
  readonly description: string;
  /** Whether a value may hold a password, and is never repeated. */
  readonly isSecret?: boolean;
}

export const settings = [
  {
    name: 'HOST',
    fallback: '127.0.0.1',
    unit: 'IP address',
    description: 'Where to listen; 0.0.0.0 or :: for every network.',
  },
  { name: 'PORT', fallback: '8080', unit: 'TCP port', description: 'Where to listen; 0 takes a free one.' },
  {
    name: 'DATA_DIR',
    fallback: 'data',
    unit: 'path',
    description: 'The directory of the embedded database, and of the counters of a node; created if missing.',
  },
  {
    name: 'DATABASE_URL',
    fallback: '',
    unit: 'URL',
    description:
      'A PostgreSQL in which several nodes keep animals and keys: postgres://user:password@host/database; empty for DATA_DIR.',
    isSecret: true,
  },
  {
    name: 'REDIS_URL',
    fallback: '',
    unit: 'URL',
    description:
      'Where several nodes count requests together: redis://user:password@host:6379/0, or one of the forms in docs/operations.md; empty to count in DATA_DIR.',
    isSecret: true,
  },
  {
    name: 'PETSTORE_ENVIRONMENT',
    fallback: 'production',
    unit: 'name',
    description: 'Whose keys are valid: one of the environments of the contract, production or staging.',
  },
  {
    name: 'PUBLIC_BASE_URL',
    fallback: '',
    unit: 'URL',
    description: 'What clients call the service, up to and including /v1; empty for its own address.',
  },
  {
    name: 'TRUST_PROXY',
    fallback: '',
    unit: 'number or addresses',
    description:
      'How many proxies to trust for the client address, or their addresses and networks, separated by commas; empty for none.',
  },
  {
    name: 'CORS_ORIGINS',
    fallback: '',
    unit: 'origins',
    description: 'Whose pages may call the service, separated by commas: https://shop.example; empty for none.',
  },
  {
    name: 'MAX_CONNECTIONS',
    fallback: '10000',
    unit: 'connections',
    description: 'How many may be open; those beyond are closed at once.',
  },
  {
    name: 'MAX_CONNECTIONS_PER_ADDRESS',
    fallback: '100',
    unit: 'connections',
    description: 'How many a client address may keep open; each of those beyond is closed after one response.',
  },
  {
    name: 'MAX_REQUESTS',
    fallback: '1000',
    unit: 'requests',
    description: 'How many are worked on at a time; those beyond are answered 503 at once.',
  },
  {
    name: 'MAX_DATABASE_CONNECTIONS',
    fallback: '10',
    unit: 'connections',
    description: 'How many this node opens to DATABASE_URL; a request waits up to 0.8 s for a free one.',
  },
  {
    name: 'LOG_LEVEL',
    fallback: 'info',
    unit: 'level',
    description:
      'The least that is logged: debug, info, warn, error or silent. From warn on, requests that went well are left out.',
  },
  {
    name: 'METRICS_HOST',
    fallback: '127.0.0.1',
    unit: 'IP address',
    description: 'Where to serve metrics: an address that clients of the service need not reach.',
  },
  {
    name: 'METRICS_PORT',
    fallback: '',
    unit: 'TCP port',
    description:
      'Where to serve /metrics, and /healthz and /readyz once more; 0 takes a free one; empty for no metrics.',
  },
] as const satisfies readonly Setting[];

type SettingName = (typeof settings)[number]['name'];

/**
 * Reads the settings. A setting that is absent or empty has its default; a bad value never becomes one.
 *
 * @throws StartError that names every mistake.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>, contract: ContractDocument): Config {
  const mistakes: string[] = [];
  const read = <T>(name: SettingName, parse: (text: string) => T): T => {
    const setting: Setting | undefined = settings.find((one) => one.name === name);
    const text = env[name] || (setting?.fallback ?? '');
    try {
      return parse(text);
    } catch (error) {
      const shown = setting?.isSecret ? '' : `=${withoutPassword(text)}`;
      mistakes.push(`${name}${shown}: ${(error as Error).message}`);
      return undefined as T;
    }
  };
  const config = Object.freeze({
    host: read('HOST', parseHost),
    port: read('PORT', parsePort),
    dataDirectory: read('DATA_DIR', (text) => text),
    databaseUrl: read('DATABASE_URL', parseDatabaseUrl),
    databaseConnectionsMax: read('MAX_DATABASE_CONNECTIONS', parseCount),
    redis: read('REDIS_URL', (text) => (text === '' ? undefined : parseRedisTarget(text))),
    keyPrefix: read('PETSTORE_ENVIRONMENT', (text) => parseEnvironment(text, keyPrefixesOf(contract))),
    publicBaseUrl: read('PUBLIC_BASE_URL', (text) => parseBaseUrl(text, basePathOf(contract))),
    trustProxy: read('TRUST_PROXY', parseTrustProxy),
    corsOrigins: read('CORS_ORIGINS', parseOrigins),
    connectionsMax: read('MAX_CONNECTIONS', parseCount),
    connectionsPerAddressMax: read('MAX_CONNECTIONS_PER_ADDRESS', parseCount),
    requestsMax: read('MAX_REQUESTS', parseCount),
    logLevel: read('LOG_LEVEL', parseLogLevel),
    metricsHost: read('METRICS_HOST', parseHost),
    metricsPort: read('METRICS_PORT', (text) => (text === '' ? undefined : parsePort(text))),
  });
  if (mistakes.length > 0)
    throw new StartError(`The configuration has mistakes:\n${mistakes.map((mistake) => `  ${mistake}`).join('\n')}`);
  return config;
}

/** What is told of a value: a URL may hold a password, which must not reach a log. */
function withoutPassword(text: string): string {
  return text.includes('@') ? text.replace(/\/\/.*@/, '//…@') : text;
}

function parseDatabaseUrl(text: string): string | undefined {
  if (text === '') return undefined;
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text)) {
    throw new Error('must be a URL like postgres://user:password@host:5432/database.');
  }
  return text;
}

/** @throws Error that says what it must be. */
export function parseHost(text: string): string {
  if (isIP(text) === 0 && text !== 'localhost') throw new Error('must be an IP address, or localhost.');
  return text;
}

/** @throws Error that says what it must be. */
export function parsePort(text: string): number {
  const port = Number(text);
  if (!/^[0-9]{1,5}$/.test(text) || port > 65535) throw new Error('must be a TCP port from 0 to 65535.');
  return port;
}

/** As browsers send them (RFC 6454, section 6.2); never every origin. */
function parseOrigins(text: string): readonly string[] {
  const origins = text === '' ? [] : text.split(',').map((origin) => origin.trim());
  const isOrigin = (origin: string) =>
    /^https?:/.test(origin) && URL.canParse(origin) && new URL(origin).origin === origin;
  if (!origins.every(isOrigin)) throw new Error('must be origins, https://shop.example, separated by commas.');
  return origins;
}

function parseCount(text: string): number {
  if (!/^[1-9][0-9]{0,6}$/.test(text)) throw new Error('must be a whole number from 1 to 9999999.');
  return Number(text);
}

function parseLogLevel(text: string): LogLevel {
  const level = logLevels.find((known) => known === text);
  if (level === undefined) throw new Error(`must be one of: ${logLevels.join(', ')}.`);
  return level;
}

function parseEnvironment(text: string, prefixes: Readonly<Record<string, string>>): string {
  const prefix = Object.hasOwn(prefixes, text) ? prefixes[text] : undefined;
  if (prefix === undefined) throw new Error(`must be one of: ${Object.keys(prefixes).join(', ')}.`);
  return prefix;
}

/** `undefined` for none. @throws Error that says what it must be. */
export function parseBaseUrl(text: string, basePath: string): string | undefined {
  if (text === '') return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // Paths are appended to it, so nothing may stand behind its own, not even a bare question mark; and it is shown to
  // everyone.
  const isPlain = url !== undefined && /^https?:$/.test(url.protocol) && url.href === url.origin + url.pathname;
  if (!isPlain || !url.pathname.endsWith(basePath)) {
    throw new Error(`must be an http or https URL that ends in ${basePath}.`);
  }
  return url.href;
}

/** Never everybody: whoever may name the address that a request comes from may also escape the limits. */
function parseTrustProxy(text: string): number | readonly string[] | undefined {
  if (text === '') return undefined;
  if (/^[1-9][0-9]?$/.test(text)) return Number(text);
  const networks = text.split(',').map((network) => network.trim());
  if (!networks.every(isNetwork))
    throw new Error('must be a number of proxies from 1 to 99, or IP addresses and networks like 10.0.0.0/8.');
  return networks;
}

function isNetwork(text: string): boolean {
  const [address = '', prefix = '', ...rest] = text.split('/');
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  if (bits === 0 || rest.length > 0) return false;
  return !text.includes('/') || (/^[1-9][0-9]{0,2}$/.test(prefix) && Number(prefix) <= bits);
}
