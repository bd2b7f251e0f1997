import { parseRedisTarget } from './database/redis/redis-target.js';
import { StartError } from './lib/errors.js';
import {
  parseCount,
  parseDatabaseUrl,
  parseHost,
  parseOrigins,
  parsePort,
  parseTrustProxy,
  requireOneOf,
} from './lib/setting-parsers.js';
import { basePathOf, type ContractDocument, keyPrefixesOf } from './openapi/document.js';
import type { EnvironmentName } from './openapi/types.js';

/** One setting: `petstore --help` and the README list its name, default, unit and description. */
interface Setting {
  /** The environment variable. */
  readonly name: string;
  readonly default: string;
  readonly unit: string;
  readonly description: string;
  /** Whether the value may contain a password; error messages then omit it. */
  readonly isSecret?: boolean;
  /** Throws an Error whose message completes "<name> …". Receives the default if the variable is unset or empty. */
  readonly parse: (text: string, contract: ContractDocument) => unknown;
}

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
    description: 'Directory of the embedded database and of the rate-limit counters; created if missing.',
    parse: (text) => text,
  },
  /** Contains the password. */
  databaseUrl: {
    name: 'DATABASE_URL',
    default: '',
    unit: 'URL',
    description:
      'PostgreSQL database for pets and API keys, shared by all nodes: postgres://user:password@host/database; if ' +
      'empty, they are stored in DATA_DIR.',
    isSecret: true,
    parse: optional(parseDatabaseUrl),
  },
  redis: {
    name: 'REDIS_URL',
    default: '',
    unit: 'URL',
    description:
      'Redis that counts requests for all nodes: redis://user:password@host:6379/0, or another form described in ' +
      'docs/operations.md; if empty, requests are counted in DATA_DIR.',
    isSecret: true,
    parse: optional(parseRedisTarget),
  },
  /** The prefix of the API keys that are accepted. */
  keyPrefix: {
    name: 'PETSTORE_ENVIRONMENT',
    default: 'production' satisfies EnvironmentName,
    unit: 'name',
    description: 'Environment whose API keys are accepted, as in x-key-prefixes of the contract.',
    parse: parseEnvironment,
  },
  /** Without a trailing slash. */
  publicBaseUrl: {
    name: 'PUBLIC_BASE_URL',
    default: '',
    unit: 'URL',
    description: "URL of the service for its clients, up to and including /v1; if empty, the listener's own address.",
    parse: optional(parseBaseUrl),
  },
  /** The number of trusted proxies, or their addresses and networks. */
  trustProxy: {
    name: 'TRUST_PROXY',
    default: '',
    unit: 'number or addresses',
    description:
      'Number of proxies to trust for the client address, or their addresses and networks, separated by commas; if ' +
      'empty, none is trusted.',
    parse: optional(parseTrustProxy),
  },
  corsOrigins: {
    name: 'CORS_ORIGINS',
    default: '',
    unit: 'origins',
    description:
      'Origins whose pages may call the service, separated by commas: https://shop.example; if empty, CORS is ' +
      'disabled.',
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
    default: '100',
    unit: 'connections',
    description:
      'Maximum number of connections that a client address can keep open; further connections are closed after one ' +
      'response.',
    parse: parseCount,
  },
  requestsMax: {
    name: 'MAX_REQUESTS',
    default: '1000',
    unit: 'requests',
    description: 'Maximum number of requests processed at the same time; further requests get a 503 immediately.',
    parse: parseCount,
  },
  databaseConnectionsMax: {
    name: 'MAX_DATABASE_CONNECTIONS',
    default: '10',
    unit: 'connections',
    description:
      'Maximum number of connections from this node to DATABASE_URL; a request waits up to 0.8 s for a free one.',
    parse: parseCount,
  },
  logLevel: {
    name: 'LOG_LEVEL',
    default: 'info',
    unit: 'level',
    description:
      'Minimum level of the log: debug, info, warn, error or silent. At warn and above, only requests with a 500 or ' +
      '503 are logged.',
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
    default: '',
    unit: 'TCP port',
    description:
      'Port that serves /metrics, and also /healthz and /readyz; 0 selects a free port; if empty, metrics are ' +
      'disabled.',
    parse: optional(parsePort),
  },
} as const satisfies Readonly<Record<string, Setting>>;

/** The settings, parsed. An optional setting that is empty is `undefined`. */
export type Config = { readonly [Key in keyof typeof settings]: ReturnType<(typeof settings)[Key]['parse']> };

/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** @throws StartError that lists every invalid setting. */
export function readConfig(env: Environment, contract: ContractDocument): Config {
  const errors: string[] = [];
  const parseText = <T>(name: string, text: string, parse: (text: string) => T, isSecret = false): T | undefined => {
    try {
      return parse(text);
    } catch (error) {
      // Passwords of URLs must not be logged.
      const shown = isSecret ? '' : `=${text.replace(/\/\/.*@/, '//…@')}`;
      errors.push(`  ${name}${shown}: ${(error as Error).message}`);
      return undefined;
    }
  };
  const values = Object.entries<Setting>(settings).map(([key, { name, default: defaultText, isSecret, parse }]) => [
    key,
    parseText(name, env[name] || defaultText, (text) => parse(text, contract), isSecret),
  ]);
  const config = Object.fromEntries(values) as Config;
  const { port, metricsPort } = config;
  if (metricsPort === port && port > 0) errors.push(`  METRICS_PORT=${String(port)}: must differ from PORT.`);
  if (errors.length > 0) throw new StartError(['Invalid configuration:', ...errors].join('\n'));
  return Object.freeze(config);
}

/** Parses an empty text as `undefined`. */
function optional<T>(parse: (text: string, contract: ContractDocument) => T) {
  return (text: string, contract: ContractDocument): T | undefined => (text === '' ? undefined : parse(text, contract));
}

function parseEnvironment(text: string, contract: ContractDocument): string {
  const prefixes = keyPrefixesOf(contract);
  return prefixes[requireOneOf(Object.keys(prefixes) as EnvironmentName[], text)];
}

/**
 * Rejects a query, a fragment, user information and even a bare question mark, because paths are appended to the URL
 * and every client sees it.
 */
function parseBaseUrl(text: string, contract: ContractDocument): string {
  const basePath = basePathOf(contract);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url !== undefined && /^https?:$/.test(url.protocol) && url.href === url.origin + url.pathname;
  if (!isPlain || !url.pathname.endsWith(basePath))
    throw new Error(`must be an http or https URL that ends in ${basePath}.`);
  return url.href;
}
