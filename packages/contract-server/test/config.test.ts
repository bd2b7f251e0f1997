import { UsageError } from '@contract-server/core/lib/errors.js';
import { changedContract } from '@contract-server/test-support/contract/changed-contract.js';
import { toysContract } from '@contract-server/test-support/contract/toys-contract.js';
import { service } from '@contract-server/test-support/toys/toys-service.js';
import { expect } from 'chai';
import * as config from '#src/config.js';
import { parseRedisTarget } from '#src/rate-limits/redis-target.js';
import { settingsOwner } from '#src/service/definition.js';

type Env = Readonly<Record<string, string>>;

const { document } = toysContract;
const owner = settingsOwner(service.definition);
const settingList = config.settingsOf(owner);
const readConfig = (env: Env, contract = document, overrides: Partial<config.Config> = {}) =>
  config.readConfig(owner, env, contract, overrides);
const read = (env: Env, overrides?: Partial<config.Config>): config.Config => readConfig(env, document, overrides);

/** The reported errors, one line each. */
function errorsIn(env: Env): string[] {
  try {
    read(env);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return error.message.split('\n');
  }
  return [];
}

const databaseUrl = 'postgresql://toys:secret@db.example:6432/toys?sslmode=verify-full';
const redisUrl = 'redis://cache.example';
const url = 'https://toys.example';

type Row = readonly [key: keyof config.Config, variable: string, text: string, value: unknown, byDefault: unknown];

/** Each setting: a value of its variable, the parsed value, and the default. */
const each: readonly Row[] = [
  ['host', 'HOST', '::1', '::1', '127.0.0.1'],
  ['port', 'PORT', '65535', 65_535, 8080],
  ['dataDirectory', 'DATA_DIR', '/srv/toys', '/srv/toys', 'data'],
  ['databaseUrl', 'DATABASE_URL', databaseUrl, databaseUrl, undefined],
  ['redis', 'REDIS_URL', redisUrl, parseRedisTarget(redisUrl), undefined],
  ['environment', 'TOYS_ENVIRONMENT', 'staging', 'staging', 'production'],
  ['publicBaseUrl', 'PUBLIC_BASE_URL', `${url}/v1`, `${url}/v1`, undefined],
  ['trustProxy', 'TRUST_PROXY', '10.0.0.0/8, 192.0.2.1,::1', ['10.0.0.0/8', '192.0.2.1', '::1'], undefined],
  ['corsOrigins', 'CORS_ORIGINS', `${url}, http://localhost:3000`, [url, 'http://localhost:3000'], []],
  ['connectionsMax', 'MAX_CONNECTIONS', '1', 1, 10_000],
  ['connectionsPerAddressMax', 'MAX_CONNECTIONS_PER_ADDRESS', '0', 0, 256],
  ['concurrentRequestsMax', 'MAX_CONCURRENT_REQUESTS', '9999999', 9_999_999, 1000],
  ['databaseConnectionsMax', 'MAX_DATABASE_CONNECTIONS', '3', 3, 10],
  ['requestTimeoutSeconds', 'REQUEST_TIMEOUT_SECONDS', '5', 5, 50],
  ['drainTimeoutSeconds', 'DRAIN_TIMEOUT_SECONDS', '0', 0, 6],
  ['validateResponses', 'VALIDATE_RESPONSES', 'on', true, false],
  ['logLevel', 'LOG_LEVEL', 'silent', 'silent', 'info'],
  ['metricsHost', 'METRICS_HOST', 'localhost', 'localhost', '127.0.0.1'],
  ['metricsPort', 'METRICS_PORT', '0', 0, undefined],
];
const defaults = { ...Object.fromEntries(each.map(([key, , , , byDefault]) => [key, byDefault])), application: {} };

/** Other values. */
const valid: readonly (readonly [variable: string, text: string, config: Partial<config.Config>])[] = [
  ...['0.0.0.0', '::', 'localhost'].map((host) => ['HOST', host, { host }] as const),
  ['PORT', '0', { port: 0 }],
  ['PUBLIC_BASE_URL', 'http://localhost:8080/shop/v1', { publicBaseUrl: 'http://localhost:8080/shop/v1' }],
  ['TRUST_PROXY', '2', { trustProxy: 2 }],
  ['port', '1', {}],
];

const host = 'must be an IP address, or localhost';
const port = 'must be an integer from 0 to 65535';
const count = 'must be an integer from 1 to 9999999';
const proxies = 'must be a number of proxies from 1 to 99, or IP addresses and networks like 10.0.0.0/8';

const postgresUrl =
  'must be a URL like postgres://user:password@host:5432/database, of one server; ' +
  'in its parts, write @ as %40, / as %2F, ? as %3F and % as %25';
const baseUrl = 'must be an http or https URL that ends in /v1';
const origins = 'must be origins, https://shop.example, separated by commas';

const invalid: readonly (readonly [name: string, message: string, values: readonly string[]])[] = [
  ['HOST', host, ['toys.example', '1.2.3', '127.0.0.1:80', ' ', 'LOCALHOST ']],
  ['PORT', port, ['65536', '-1', '80a', '0x50', '1e3', ' 80', '8.0', '000080', 'http']],
  [
    'DATABASE_URL',
    postgresUrl,
    ['secret', 'postgres:toys:secret@db', 'mysql://toys:secret@db', 'postgres://[?a=secret'],
  ],
  ['TOYS_ENVIRONMENT', 'must be one of: production, staging', ['Production', 'prod', '__proto__', 'toString']],
  [
    'PUBLIC_BASE_URL',
    baseUrl,
    [
      ...['toys.example/v1', 'ftp://toys.example/v1', url, `${url}/v1/`, `${url}/v2`, `${url}/prev1`, `${url}/v1?`],
      ...[`${url}/v1?a=b`, `${url}/v1#`, `${url}/v1#top`, 'https://user@toys.example/v1', 'https://:p@toys.example/v1'],
    ],
  ],
  [
    'TRUST_PROXY',
    proxies,
    ['true', '*', '0', '0.0.0.0/0', '::/0', '10.0.0.0/33', '1.2.3', '10.0.0.0/8,', '10.0.0.0/8/8', '-1', '100', '1.5'],
  ],
  ['CORS_ORIGINS', origins, ['*', 'null', 'shop.example', `${url}/`, `${url},`, 'HTTPS://shop.example']],
  ['MAX_CONNECTIONS', count, ['0', '-1', '1e3', '10000000', 'many']],
  ['MAX_CONNECTIONS_PER_ADDRESS', 'must be an integer from 0 to 9999999', ['-1', 'all']],
  ['MAX_CONCURRENT_REQUESTS', count, ['0', '01']],
  ['REQUEST_TIMEOUT_SECONDS', 'must be an integer from 1 to 3600', ['0', '3601']],
  ['DRAIN_TIMEOUT_SECONDS', 'must be an integer from 0 to 3600', ['-1', '3601']],
  ['VALIDATE_RESPONSES', 'must be one of: on, off', ['true', '1', 'ON']],
  ['LOG_LEVEL', 'must be one of: debug, info, warn, error, silent', ['INFO', 'trace', 'all', '30', '__proto__']],
  ['METRICS_HOST', host, ['metrics.example', '1.2.3']],
  ['METRICS_PORT', port, ['65536', 'off', '-1']],
];

/** Values of URLs are not repeated, because they may contain a password. */
function errorOf(name: string, value: string, message: string): string {
  return `${name}=${name.endsWith('URL') ? '…' : value} is invalid; it ${message}`;
}

describe('readConfig', () => {
  it('reads each setting, and returns the defaults of settings that are missing or empty', () => {
    expect(each.map(([, variable]) => variable)).to.have.members(settingList.map(({ name }) => name));
    for (const [key, variable, text, value] of each)
      expect(read({ [variable]: text })).to.deep.equal({ ...defaults, [key]: value });
    for (const [variable, text, config] of valid)
      expect(read({ [variable]: text })).to.deep.equal({ ...defaults, ...config });
    expect(read(Object.fromEntries(settingList.map(({ name }) => [name, ''])))).to.deep.equal(defaults);
    expect(read({})).to.deep.equal(defaults).and.to.be.frozen;
  });

  for (const [name, message, values] of invalid)
    it(`rejects an invalid ${name} instead of using the default`, () => {
      for (const value of values) expect(errorsIn({ [name]: value })).to.deep.equal([errorOf(name, value, message)]);
    });

  it('selects the first environment of the contract by default', () => {
    const prefixes = { live: 'toys_live_', test: 'toys_test_' };
    const other = changedContract(['components', 'securitySchemes', 'apiKey', 'x-key-prefixes'], prefixes, document);
    expect(readConfig({}, other).environment).to.equal('live');
    expect(readConfig({ TOYS_ENVIRONMENT: 'test' }, other).environment).to.equal('test');
    expect(
      readConfig({}, changedContract(['components', 'securitySchemes'], undefined, document)).environment,
    ).to.equal('production');
  });

  it('reads a PUBLIC_BASE_URL without a path if the contract has no path prefix, and removes its last slash', () => {
    const withoutPrefix = changedContract(['servers'], undefined, document);
    const readUrl = (text: string) => readConfig({ PUBLIC_BASE_URL: text }, withoutPrefix).publicBaseUrl;
    for (const text of [url, `${url}/`]) expect(readUrl(text)).to.equal(url);
    expect(readUrl(`${url}/shop`)).to.equal(`${url}/shop`);
    expect(() => readUrl('toys.example')).to.throw('PUBLIC_BASE_URL=… is invalid; it must be an http or https URL');
  });

  it('does not repeat an invalid REDIS_URL, which may contain a password', () => {
    for (const value of ['http://user:hush@host', 'hush@host', 'redis://us:er:hu/sh@host', 'hush']) {
      const [error, ...others] = errorsIn({ REDIS_URL: value });
      expect(others).to.deep.equal([]);
      expect(error).to.match(/^REDIS_URL=… is invalid; it must (?!.*(hush|hu\/sh))/);
    }
  });

  it('does not repeat the invalid value of a secret setting of the application', () => {
    const parse = () => {
      throw new Error('must have at least 32 characters');
    };
    const jwtSecret = { name: 'JWT_SECRET', unit: 'text', description: 'Signs tokens.', secret: true, parse } as const;
    const withSecret = { name: 'toys', settings: { jwtSecret } };
    expect(() => config.readConfig(withSecret, { JWT_SECRET: 'hush' }, document)).to.throw(
      UsageError,
      /^JWT_SECRET=… is invalid; it must have at least 32 characters$/,
    );
  });

  it('reads the settings of the application, requires those that have no default, and has none of other parts', () => {
    const text = (value: string) => value;
    const owner = {
      name: 'toys',
      settings: {
        secret: { name: 'JWT_SECRET', unit: 'text', description: 'Signs tokens.', required: true, parse: text },
        color: { name: 'COLOR', default: 'red', unit: 'name', description: 'Colour of toys.', parse: text },
        size: { name: 'SIZE', unit: 'cm', description: 'Size of toys.', parse: Number },
      },
    } as const;
    const env = { JWT_SECRET: 'x', SIZE: '7', DATA_DIR: '/srv', REDIS_URL: 'invalid', METRICS_PORT: 'invalid' };
    const values = config.readConfig(owner, env, document);
    expect(values.application).to.deep.equal({ secret: 'x', color: 'red', size: 7 });
    expect(values.dataDirectory).to.equal(undefined);
    expect(() => config.readConfig(owner, {}, document)).to.throw(UsageError, 'JWT_SECRET is missing. Signs tokens.');
    const names = config.settingsOf(owner).map(({ name }) => name);
    expect(names.slice(-3)).to.deep.equal(['JWT_SECRET', 'COLOR', 'SIZE']);
    expect(names).not.to.include.oneOf(['DATA_DIR', 'DATABASE_URL', 'REDIS_URL', 'TOYS_ENVIRONMENT', 'METRICS_PORT']);
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
});
