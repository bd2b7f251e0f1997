import type { ContractDocument } from '@contract-server/core/contract/document.js';
import { keyPrefixesOf } from '@contract-server/core/contract/security.js';
import { basePathOf } from '@contract-server/core/contract/servers.js';
import { UsageError } from '@contract-server/core/lib/errors.js';
import { parseDatabaseUrl } from './database/postgres/connection-url.js';
import {
  integer,
  parseBaseUrl,
  parseHost,
  parseOrigins,
  parseTrustProxy,
  requireOneOf,
} from './lib/setting-parsers.js';
import { parseRedisTarget } from './rate-limits/redis-target.js';

/** One setting: `--help` lists its name, default, unit and description. */
export interface Setting<Value = unknown> {
  /** The environment variable. */
  readonly name: string;
  /** Used if the variable is unset or empty. Without it, the value is then `undefined`, unless it is required. */
  readonly default?: string;
  /** Whether the service does not start without it. */
  readonly required?: true;
  /** Such as `seconds` or `URL`. Default: `text`. */
  readonly unit?: string;
  readonly description: string;
  /** Whether the value may contain a password or a key: no message repeats it. */
  readonly secret?: true;
  /** Throws an Error whose message completes "it …". Default: the text is the value. */
  readonly parse?: (text: string, document: ContractDocument) => Value;
}

/** A setting of the library. */
interface LibrarySetting extends Setting {
  /** The part that uses it. Services without the part do not have the setting. */
  readonly part?: Part;
  /** Whether the name of the service precedes it, such as `LIBRARY_`. */
  readonly isPrefixed?: boolean;
}

/** The opt-in parts of a service that have settings. */
export type Part = 'sqlite' | 'postgres' | 'redis' | 'api-keys' | 'metrics';

/** The settings of an application, by their name in `settings`. */
export type ApplicationSettings = Readonly<Record<string, Setting>>;

/** The value of a setting without `parse` is its text. */
type ParsedValue<Declared> = Declared extends { readonly parse: (...args: never[]) => infer Value } ? Value : string;

/** The parsed settings of a table. One that is neither required nor has a default can be `undefined`. */
export type SettingValues<Table extends ApplicationSettings> = {
  // Without settings, there are no values.
  readonly [Key in keyof Table as string extends Key ? never : Key]:
    | ParsedValue<Table[Key]>
    | (Table[Key] extends { readonly default: string } | { readonly required: true } ? never : undefined);
};

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
    part: 'sqlite',
    default: 'data',
    unit: 'path',
    description: 'Directory of the embedded database; created if missing.',
  },
  databaseUrl: {
    name: 'DATABASE_URL',
    part: 'postgres',
    unit: 'URL',
    description:
      'PostgreSQL: postgres://user:password@host/database, with ?sslmode=verify-full or ?host=/socket; if empty, SQLite.',
    secret: true,
    parse: parseDatabaseUrl,
  },
  redis: {
    name: 'REDIS_URL',
    part: 'redis',
    unit: 'URL',
    description: 'Redis that counts requests for all nodes: redis://user:password@host:6379/0; optional on one node.',
    secret: true,
    parse: parseRedisTarget,
  },
  environment: {
    name: 'ENVIRONMENT',
    part: 'api-keys',
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
    parse: (text, document) => parseBaseUrl(text, basePathOf(document)),
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
    description:
      'Time limit for receiving a whole request, at most 20 s of it for the headers; a slower one gets a 408.',
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
    part: 'postgres',
    default: '10',
    unit: 'connections',
    description: 'Maximum number of connections to DATABASE_URL; a request waits up to 0.8 s for a free one.',
    parse: parseCount,
  },
  validateResponses: {
    name: 'VALIDATE_RESPONSES',
    default: 'off',
    unit: 'on or off',
    description: 'on: a response that violates the contract becomes a 500, and the log says why; for development.',
    parse: (text) => requireOneOf(['on', 'off'], text) === 'on',
  },
  logLevel: {
    name: 'LOG_LEVEL',
    default: 'info',
    unit: 'level',
    description:
      'debug, info, warn, error or silent; warn logs only requests with a 500 or 503, error only those with a 500.',
    parse: (text) => requireOneOf(['debug', 'info', 'warn', 'error', 'silent'], text),
  },
  metricsHost: {
    name: 'METRICS_HOST',
    part: 'metrics',
    default: '127.0.0.1',
    unit: 'IP address',
    description: 'Address to serve metrics on; choose one that clients of the service cannot reach.',
    parse: parseHost,
  },
  metricsPort: {
    name: 'METRICS_PORT',
    part: 'metrics',
    unit: 'TCP port',
    description: 'Port of /metrics, /healthz and /readyz; 0 selects a free port; if empty, metrics are disabled.',
    parse: parsePort,
  },
} as const satisfies Readonly<Record<string, LibrarySetting>>;

/** A setting as `--help` describes it, under the name of its environment variable. */
export type SettingDescription = Pick<Setting, 'name' | 'default' | 'required' | 'description'> & {
  readonly unit: string;
};

/** What the settings of a service depend on. */
export interface SettingsOwner {
  /** The name of the service. */
  readonly name: string;
  /** Its parts. Default: none. */
  readonly parts?: ReadonlySet<Part>;
  /** Those of the application. */
  readonly settings?: ApplicationSettings | undefined;
}

/** The settings of a service: those of the library and its parts, then those of the application. */
export function settingsOf(service: SettingsOwner): readonly SettingDescription[] {
  const own = Object.values(service.settings ?? {});
  const all = [...librarySettings(service).map(([, setting]) => setting), ...own];
  return all.map(({ unit = 'text', ...setting }) => ({ unit, ...setting }));
}

/** The settings of the library that a service has, under the names of their environment variables. */
function librarySettings({ name, parts }: SettingsOwner): [key: string, setting: Setting][] {
  const prefix = `${name.toUpperCase().replaceAll('-', '_')}_`;
  return Object.entries<LibrarySetting>(settings)
    .filter(([, { part }]) => part === undefined || parts?.has(part))
    .map(([key, setting]) => {
      // Without SQLite, PostgreSQL is the only engine.
      const isRequired = key === 'databaseUrl' && parts?.has('sqlite') === false;
      const fullName = `${setting.isPrefixed ? prefix : ''}${setting.name}`;
      return [key, { ...setting, name: fullName, ...(isRequired && { required: true }) }];
    });
}

type LibraryTable = typeof settings;

/** The parsed settings. Those of parts that the service does not have are `undefined`. */
export type Config = {
  readonly [Key in keyof LibraryTable]: LibraryTable[Key] extends { readonly part: Part }
    ? SettingValues<LibraryTable>[Key] | undefined
    : SettingValues<LibraryTable>[Key];
} & {
  /** Those of the application. */
  readonly application: Readonly<Record<string, unknown>>;
};

/**
 * Reads the settings from environment variables. Overrides replace variables, which are then not read.
 *
 * @throws UsageError with a line for each invalid setting.
 */
export function readConfig(
  service: SettingsOwner,
  env: NodeJS.ProcessEnv,
  document: ContractDocument,
  overrides: Partial<Config> = {},
): Config {
  const errors: string[] = [];
  const read = (table: readonly (readonly [string, Setting])[]) =>
    Object.fromEntries(table.map(([key, setting]) => [key, readSetting(setting, env, document, errors)]));
  const own = librarySettings(service).filter(([key]) => !(key in overrides));
  const application = read(Object.entries(service.settings ?? {}));
  const values = { ...overrides, ...read(own), application } as Config;
  const { port, metricsPort } = values;
  if (metricsPort === port && port > 0)
    errors.push(`METRICS_PORT=${String(port)} is invalid; it must differ from PORT`);
  if (errors.length > 0) throw new UsageError(errors.join('\n'));
  return Object.freeze(values);
}

/** Returns `undefined` after an error, which it adds to the list. */
function readSetting(setting: Setting, env: NodeJS.ProcessEnv, document: ContractDocument, errors: string[]): unknown {
  const { name, default: defaultText, required, secret, description, parse = (given: string) => given } = setting;
  const text = env[name] || defaultText;
  if (text === undefined) {
    if (required) errors.push(`${name} is missing. ${description}`);
    return undefined;
  }
  try {
    return parse(text, document);
  } catch (error) {
    const message = `${name}=${text} is invalid; it ${(error as Error).message}`;
    errors.push(secret ? message.replaceAll(text, '…') : message);
    return undefined;
  }
}

function parseEnvironment(text: string, document: ContractDocument): string {
  const names = Object.keys(keyPrefixesOf(document)) as [string, ...string[]];
  return text === '' ? names[0] : requireOneOf(names, text);
}
