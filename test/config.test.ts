import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { type Config, InvalidSettingsError, readConfig, settingList } from '#src/config.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import { parseRedisTarget } from '#src/rate-limits/redis-target.js';

type Env = Readonly<Record<string, string>>;

const { document } = await readContract(contractUrl);
const read = (env: Env, overrides?: Partial<Config>): Config => readConfig(env, document, overrides);

/** The reported errors, one line each. */
function errorsIn(env: Env): string[] {
  try {
    read(env);
  } catch (error) {
    if (!(error instanceof InvalidSettingsError)) throw error;
    return error.message.split('\n');
  }
  return [];
}

const defaults: Config = {
  host: '127.0.0.1',
  port: 8080,
  dataDirectory: 'data',
  databaseUrl: undefined,
  databaseConnectionsMax: 10,
  redis: undefined,
  environment: 'production',
  publicBaseUrl: undefined,
  trustProxy: undefined,
  corsOrigins: [],
  connectionsMax: 10_000,
  connectionsPerAddressMax: 256,
  concurrentRequestsMax: 1000,
  requestTimeoutSeconds: 50,
  drainTimeoutSeconds: 6,
  logLevel: 'info',
  metricsHost: '127.0.0.1',
  metricsPort: undefined,
};

const databaseUrl = 'postgresql://pets:secret@db.example:6432/pets?sslmode=verify-full';
const redisUrl = 'redis://cache.example';

const valid: readonly (readonly [env: Env, config: Partial<Config>])[] = [
  [{}, {}],
  [Object.fromEntries(settingList.map(({ name }) => [name, ''])), {}],
  [{ PATH: '/bin', NODE_ENV: 'test', port: '1' }, {}],
  ...['0.0.0.0', '::', '::1', 'localhost'].map((host) => [{ HOST: host }, { host }] as const),
  [{ PORT: '0' }, { port: 0 }],
  [{ PORT: '65535' }, { port: 65_535 }],
  [{ DATA_DIR: '/srv/pets' }, { dataDirectory: '/srv/pets' }],
  [{ DATABASE_URL: databaseUrl }, { databaseUrl }],
  [{ MAX_DATABASE_CONNECTIONS: '3' }, { databaseConnectionsMax: 3 }],
  [
    { REQUEST_TIMEOUT_SECONDS: '5', DRAIN_TIMEOUT_SECONDS: '0' },
    { requestTimeoutSeconds: 5, drainTimeoutSeconds: 0 },
  ],
  [{ REDIS_URL: redisUrl }, { redis: parseRedisTarget(redisUrl) }],
  [{ PETSTORE_ENVIRONMENT: 'staging' }, { environment: 'staging' }],
  [{ PUBLIC_BASE_URL: 'https://pets.example/v1' }, { publicBaseUrl: 'https://pets.example/v1' }],
  [{ PUBLIC_BASE_URL: 'http://localhost:8080/shop/v1' }, { publicBaseUrl: 'http://localhost:8080/shop/v1' }],
  [{ TRUST_PROXY: '2' }, { trustProxy: 2 }],
  [
    { TRUST_PROXY: '10.0.0.0/8, 192.0.2.1,2001:db8::/32' },
    { trustProxy: ['10.0.0.0/8', '192.0.2.1', '2001:db8::/32'] },
  ],
  [
    { CORS_ORIGINS: 'https://shop.example, http://localhost:3000' },
    { corsOrigins: ['https://shop.example', 'http://localhost:3000'] },
  ],
  [{ MAX_CONNECTIONS: '1' }, { connectionsMax: 1 }],
  [{ MAX_CONNECTIONS_PER_ADDRESS: '0' }, { connectionsPerAddressMax: 0 }],
  [{ MAX_CONCURRENT_REQUESTS: '9999999' }, { concurrentRequestsMax: 9_999_999 }],
  [{ LOG_LEVEL: 'silent' }, { logLevel: 'silent' }],
  [
    { METRICS_PORT: '0', METRICS_HOST: '::1' },
    { metricsPort: 0, metricsHost: '::1' },
  ],
];

const host = 'must be an IP address, or localhost';
const port = 'must be an integer from 0 to 65535';
const count = 'must be an integer from 1 to 9999999';
const proxies = 'must be a number of proxies from 1 to 99, or IP addresses and networks like 10.0.0.0/8';
const url = 'https://pets.example';

const invalid: readonly (readonly [name: string, message: string, values: readonly string[]])[] = [
  ['HOST', host, ['pets.example', '1.2.3', '127.0.0.1:80', ' ', 'LOCALHOST ']],
  ['PORT', port, ['65536', '-1', '80a', '0x50', '1e3', ' 80', '8.0', '000080', 'http']],
  [
    'DATABASE_URL',
    'must be a URL like postgres://user:password@host:5432/database',
    ['secret', 'postgres:pets:secret@db.example', 'mysql://pets:secret@db', 'postgres://[?password=secret'],
  ],
  ['PETSTORE_ENVIRONMENT', 'must be one of: production, staging', ['Production', 'prod', '__proto__', 'toString']],
  [
    'PUBLIC_BASE_URL',
    'must be an http or https URL that ends in /v1',
    [
      ...['pets.example/v1', 'ftp://pets.example/v1', url, `${url}/v1/`, `${url}/v2`, `${url}/prev1`, `${url}/v1?`],
      ...[`${url}/v1?a=b`, `${url}/v1#`, `${url}/v1#top`, 'https://user@pets.example/v1', 'https://:p@pets.example/v1'],
    ],
  ],
  [
    'TRUST_PROXY',
    proxies,
    [
      ...['true', 'all', '*', '0', '0.0.0.0/0', '::/0', '10.0.0.0/33', '1.2.3', '10.0.0.0/8,', '10.0.0.0/8/8'],
      ...['-1', '100', '1.5'],
    ],
  ],
  [
    'CORS_ORIGINS',
    'must be origins, https://shop.example, separated by commas',
    ['*', 'null', 'shop.example', 'https://shop.example/', 'https://shop.example,', 'HTTPS://shop.example'],
  ],
  ['MAX_CONNECTIONS', count, ['0', '-1', '1e3', '10000000', 'many']],
  ['MAX_CONNECTIONS_PER_ADDRESS', 'must be an integer from 0 to 9999999', ['-1', 'all']],
  ['MAX_CONCURRENT_REQUESTS', count, ['0', '01']],
  ['LOG_LEVEL', 'must be one of: debug, info, warn, error, silent', ['INFO', 'trace', 'all', '30', '__proto__']],
  ['METRICS_HOST', host, ['metrics.example', '1.2.3']],
  ['METRICS_PORT', port, ['65536', 'off', '-1']],
];

/** Values of URLs are not repeated, because they may contain a password. */
function errorOf(name: string, value: string, message: string): string {
  return `${name.endsWith('URL') ? name : `${name}=${value}`} is invalid; it ${message}`;
}

describe('readConfig', () => {
  for (const [env, config] of valid) {
    it(`reads ${JSON.stringify(env).slice(0, 100)}, and returns the defaults of the other settings`, () => {
      expect(read(env)).to.deep.equal({ ...defaults, ...config });
    });
  }

  for (const [name, message, values] of invalid) {
    it(`rejects an invalid ${name} instead of using the default`, () => {
      for (const value of values) expect(errorsIn({ [name]: value })).to.deep.equal([errorOf(name, value, message)]);
    });
  }

  it('does not repeat an invalid REDIS_URL, which may contain a password', () => {
    for (const value of ['http://user:hush@host', 'hush@host', 'redis://us:er:hu/sh@host', 'hush']) {
      const errors = errorsIn({ REDIS_URL: value });
      expect(errors, value).to.have.lengthOf(1);
      expect(errors[0])
        .to.match(/^REDIS_URL is invalid; it must /)
        .and.not.match(/hush|hu\/sh/);
    }
  });

  it('reports every invalid setting at once', () => {
    const first = invalid.map(([name, message, [value = '']]) => ({ name, message, value }));
    const env = Object.fromEntries(first.map(({ name, value }) => [name, value]));
    expect(errorsIn(env)).to.have.members(first.map(({ name, message, value }) => errorOf(name, value, message)));
  });

  it('rejects a metrics port that equals the port of the service', () => {
    const message = 'METRICS_PORT=8081 is invalid; it must differ from PORT';
    expect(errorsIn({ PORT: '8081', METRICS_PORT: '8081' })).to.deep.equal([message]);
    expect(read({ PORT: '0', METRICS_PORT: '0' }).metricsPort).to.equal(0);
  });

  it('prefers overrides to variables, which may then be invalid', () => {
    expect(read({ PORT: 'http', HOST: '::1' }, { port: 0 })).to.deep.equal({ ...defaults, port: 0, host: '::1' });
  });

  it('returns a frozen object', () => {
    expect(read({})).to.be.frozen;
  });

  it('has every setting in .env.example, with its default', () => {
    const lines = settingList.map(
      ({ name, default: defaultText = '', description }) => `# ${description}\n#${name}=${defaultText}\n`,
    );
    const file = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8');
    expect(file).to.equal(
      `# Settings. Copy this file to .env, and start with: npm start -- --env-file .env\n\n${lines.join('\n')}`,
    );
  });
});
