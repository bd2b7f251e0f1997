import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { type Config, readConfig, settings } from '#src/config.js';
import { parseRedisTarget } from '#src/database/redis/redis-target.js';
import { StartError } from '#src/lib/errors.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';

const { document } = await readContract(contractUrl);
const read = (env: Readonly<Record<string, string | undefined>>): Config => readConfig(env, document);

/** The reported errors, one line each. */
function errorsIn(env: Readonly<Record<string, string>>): string[] {
  try {
    read(env);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    const [title, ...lines] = error.message.split('\n');
    expect(title).to.equal('Invalid configuration:');
    return lines;
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
  keyPrefix: 'pets_live_',
  publicBaseUrl: undefined,
  trustProxy: undefined,
  corsOrigins: [],
  connectionsMax: 10_000,
  connectionsPerAddressMax: 100,
  requestsMax: 1000,
  logLevel: 'info',
  metricsHost: '127.0.0.1',
  metricsPort: undefined,
};

describe('readConfig', () => {
  it('returns the default of every setting', () => {
    expect(read({})).to.deep.equal(defaults);
  });

  it('treats an empty variable like an unset one', () => {
    expect(read(Object.fromEntries(Object.values(settings).map(({ name }) => [name, ''])))).to.deep.equal(defaults);
  });

  it('ignores variables that are not settings', () => {
    expect(read({ PATH: '/bin', NODE_ENV: 'test', port: '1' })).to.deep.equal(defaults);
  });

  it('rejects a metrics port that equals the port of the service', () => {
    expect(() => read({ PORT: '8081', METRICS_PORT: '8081' })).to.throw('METRICS_PORT=8081: must differ from PORT.');
    expect(read({ PORT: '0', METRICS_PORT: '0' }).metricsPort).to.equal(0);
  });

  it('has every setting in .env.example, with its default', () => {
    const lines = Object.values(settings).map(
      ({ name, default: defaultText, description }) => `# ${description}\n#${name}=${defaultText}\n`,
    );
    const file = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8');
    // Long descriptions have several lines.
    expect(file.replace(/(?<=^# .+)\n# /gm, ' ')).to.equal(
      `# Settings. Copy this file to .env, and start with: npm start -- --env-file .env\n\n${lines.join('\n')}`,
    );
  });

  it('returns a frozen object', () => {
    expect(read({})).to.be.frozen;
  });

  it('accepts valid values of every setting', () => {
    const env = {
      PORT: '0',
      DATA_DIR: '/srv/pets',
      DATABASE_URL: 'postgresql://pets:secret@db.example:6432/pets?sslmode=verify-full',
      MAX_DATABASE_CONNECTIONS: '3',
      REDIS_URL: 'redis://cache.example',
      PETSTORE_ENVIRONMENT: 'staging',
      PUBLIC_BASE_URL: 'https://pets.example/v1',
      TRUST_PROXY: '2',
      CORS_ORIGINS: 'https://shop.example, http://localhost:3000',
      MAX_CONNECTIONS: '1',
      MAX_CONNECTIONS_PER_ADDRESS: '2',
      MAX_REQUESTS: '9999999',
      LOG_LEVEL: 'silent',
      METRICS_PORT: '0',
      METRICS_HOST: '::1',
    };
    expect(read({ HOST: '::', ...env })).to.deep.equal({
      host: '::',
      port: 0,
      dataDirectory: '/srv/pets',
      databaseUrl: 'postgresql://pets:secret@db.example:6432/pets?sslmode=verify-full',
      databaseConnectionsMax: 3,
      redis: parseRedisTarget('redis://cache.example'),
      keyPrefix: 'pets_test_',
      publicBaseUrl: 'https://pets.example/v1',
      trustProxy: 2,
      corsOrigins: ['https://shop.example', 'http://localhost:3000'],
      connectionsMax: 1,
      connectionsPerAddressMax: 2,
      requestsMax: 9_999_999,
      logLevel: 'silent',
      metricsHost: '::1',
      metricsPort: 0,
    });
    for (const HOST of ['0.0.0.0', '::1', 'localhost']) expect(read({ HOST }).host).to.equal(HOST);
    expect(read({ PORT: '65535' }).port).to.equal(65_535);
    expect(read({ PUBLIC_BASE_URL: 'http://localhost:8080/shop/v1' }).publicBaseUrl).to.equal(
      'http://localhost:8080/shop/v1',
    );
  });

  it('accepts a number of trusted proxies or their networks, but no network of all addresses', () => {
    expect(read({ TRUST_PROXY: '10.0.0.0/8, 192.0.2.1,2001:db8::/32' }).trustProxy).to.deep.equal([
      '10.0.0.0/8',
      '192.0.2.1',
      '2001:db8::/32',
    ]);
    for (const TRUST_PROXY of [
      'true',
      'all',
      '*',
      '0',
      '0.0.0.0/0',
      '::/0',
      '10.0.0.0/33',
      '1.2.3',
      '10.0.0.0/8,',
      '10.0.0.0/8/8',
      '-1',
      '100',
      '1.5',
    ]) {
      expect(errorsIn({ TRUST_PROXY }), TRUST_PROXY).to.have.lengthOf(1);
    }
  });

  const invalidValues = {
    HOST: ['pets.example', '1.2.3', '127.0.0.1:80', ' ', 'LOCALHOST '],
    PORT: ['65536', '-1', '80a', '0x50', '1e3', ' 80', '8.0', '000080', 'http'],
    PETSTORE_ENVIRONMENT: ['Production', 'prod', 'test', '__proto__', 'toString'],
    PUBLIC_BASE_URL: [
      'pets.example/v1',
      'ftp://pets.example/v1',
      'https://pets.example',
      'https://pets.example/v1/',
      'https://pets.example/v2',
      'https://pets.example/prev1',
      'https://pets.example/v1?',
      'https://pets.example/v1?a=b',
      'https://pets.example/v1#',
      'https://pets.example/v1#top',
      'https://user@pets.example/v1',
      'https://:secret@pets.example/v1',
    ],
    CORS_ORIGINS: [
      '*',
      'null',
      'shop.example',
      'https://shop.example/',
      'https://shop.example,',
      'HTTPS://shop.example',
    ],
    MAX_CONNECTIONS: ['0', '-1', '1e3', '10000000', 'many'],
    MAX_CONNECTIONS_PER_ADDRESS: ['0', 'all'],
    MAX_REQUESTS: ['0', '01'],
    LOG_LEVEL: ['INFO', 'trace', 'all', '30', '__proto__'],
    METRICS_HOST: ['metrics.example', '1.2.3'],
    METRICS_PORT: ['65536', 'off', '-1'],
  };
  const messages = {
    HOST: 'must be an IP address, or localhost.',
    PORT: 'must be a TCP port from 0 to 65535.',
    PETSTORE_ENVIRONMENT: 'must be one of: production, staging.',
    PUBLIC_BASE_URL: 'must be an http or https URL that ends in /v1.',
    CORS_ORIGINS: 'must be origins, https://shop.example, separated by commas.',
    MAX_CONNECTIONS: 'must be an integer from 1 to 9999999.',
    MAX_CONNECTIONS_PER_ADDRESS: 'must be an integer from 1 to 9999999.',
    MAX_REQUESTS: 'must be an integer from 1 to 9999999.',
    LOG_LEVEL: 'must be one of: debug, info, warn, error, silent.',
    METRICS_HOST: 'must be an IP address, or localhost.',
    METRICS_PORT: 'must be a TCP port from 0 to 65535.',
  };

  for (const [name, values] of Object.entries(invalidValues)) {
    it(`rejects an invalid ${name} instead of using the default`, () => {
      for (const value of values) {
        expect(errorsIn({ [name]: value }), value).to.deep.equal([
          `  ${name}=${value.replace(/[a-z:]*@/, '…@')}: ${messages[name as keyof typeof messages]}`,
        ]);
      }
    });
  }

  it('does not repeat an invalid DATABASE_URL, which may contain a password', () => {
    for (const DATABASE_URL of [
      'secret',
      'postgres:pets:secret@db.example',
      'mysql://pets:secret@db',
      'postgres://[?password=secret',
    ]) {
      expect(errorsIn({ DATABASE_URL })).to.deep.equal([
        '  DATABASE_URL: must be a URL like postgres://user:password@host:5432/database.',
      ]);
    }
  });

  it('does not repeat an invalid REDIS_URL, which may contain a password', () => {
    for (const value of [
      'http://user:hush@host',
      'hush@host',
      'redis://host?password=hush',
      'redis://us:er:hu/sh@host',
      'hush',
    ]) {
      const [error, ...others] = errorsIn({ REDIS_URL: value });
      expect(error)
        .to.match(/^ {2}REDIS_URL: must /)
        .and.not.match(/hush|hu\/sh/);
      expect(others).to.deep.equal([]);
    }
  });

  it('reports every invalid setting at once', () => {
    const env = Object.fromEntries(Object.entries(invalidValues).map(([name, [value = '']]) => [name, value]));
    expect(errorsIn(env)).to.deep.equal(
      Object.entries(messages).map(([name, message]) => `  ${name}=${String(env[name])}: ${message}`),
    );
  });

  it('has a name, a unit and a description for every setting', () => {
    for (const { name, unit, description } of Object.values(settings)) {
      expect(name).to.match(/^[A-Z]+(_[A-Z]+)*$/);
      expect(unit).to.not.equal('');
      expect(description).to.match(/\.$/);
    }
  });
});
