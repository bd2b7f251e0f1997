import { expect } from 'chai';
import { parseConnectionUrl } from '#src/database/postgres/connection-url.js';

/** URLs that libpq's documentation shows or describes, and what they have. */
const valid: readonly (readonly [url: string, parameters: object])[] = [
  ['postgresql://', {}],
  ['postgresql://localhost', { host: 'localhost' }],
  ['postgresql://localhost/mydb', { host: 'localhost', database: 'mydb' }],
  ['postgresql://user@localhost', { user: 'user', host: 'localhost' }],
  ['postgres://user:secret@localhost:5433/', { user: 'user', password: 'secret', host: 'localhost', port: '5433' }],
  ['postgresql:///mydb?host=localhost&port=5433', { database: 'mydb', host: 'localhost', port: '5433' }],
  ['postgresql://[2001:db8::1234]/database', { host: '2001:db8::1234', database: 'database' }],
  ['postgresql://%2Fvar%2Flib%2Fpostgresql/dbname', { host: '/var/lib/postgresql', database: 'dbname' }],
  [
    'postgres://user:pw@/db?host=/run/postgresql',
    { user: 'user', password: 'pw', database: 'db', host: '/run/postgresql' },
  ],
  ['postgres://user@:5433/db', { user: 'user', port: '5433', database: 'db' }],
  ['postgres://u:p%40ss%3Aw%2Frd%3F%25@h/d%20b', { user: 'u', password: 'p@ss:w/rd?%', host: 'h', database: 'd b' }],
  // Without an escape, but clear.
  ['postgres://user@tenant:a:b@h', { user: 'user@tenant', password: 'a:b', host: 'h' }],
  ['postgres://h/db?user=other&password=a%40b', { host: 'h', database: 'db', user: 'other', password: 'a@b' }],
  ['postgres://h?application_name=a&options=-c%20a%3Db', { host: 'h', application_name: 'a', options: '-c a=b' }],
  ['postgres://h?sslmode=verify-full&sslrootcert=/ca', { host: 'h', sslmode: 'verify-full', sslrootcert: '/ca' }],
  ['postgres://h?ssl=true&sslcert=&sslnegotiation=direct', { host: 'h', ssl: 'true', sslnegotiation: 'direct' }],
];

const form =
  'must be a URL like postgres://user:password@host:5432/database, of one server; ' +
  'in its parts, write @ as %40, / as %2F, ? as %3F and % as %25';
const names =
  'host, port, user, password, application_name, options, sslmode, ssl, sslrootcert, sslcert, sslkey, sslnegotiation';
const unknown = (name: string) => `must not have the parameter ${name}; supported are ${names}`;
const sslmodes = 'must set sslmode to one of: disable, require, verify-ca, verify-full, no-verify';

const invalid: readonly (readonly [message: string, urls: readonly string[]])[] = [
  [form, ['secret', 'postgres:u:secret@h', 'mysql://u:secret@h', 'postgres://[?a=secret', 'postgres://u:s@h#a']],
  [form, ['postgres://h:65536', 'postgres://h:port', 'postgres://h?port=port', 'postgres://u:%@h', 'postgres://%zz']],
  // What follows the question mark is a part of the password.
  [form, ['postgres://u:12?secret@h/db', 'postgres://u:se/cret@h']],
  [form, ['postgres://h1,h2/db', 'postgres://h1:5432,h2:5432/db', 'postgres:///db?host=h1,h2']],
  ...['sslmod', 'dbname', 'database', 'target_session_attrs', 'channel_binding', 'connect_timeout', '__proto__'].map(
    (name) => [unknown(name), [`postgres://h/db?${name}=a`]] as const,
  ),
  [sslmodes, ['verify_full', 'prefer', 'allow', 'Require', 'true'].map((mode) => `postgres://h?sslmode=${mode}`)],
  ['must set ssl to one of: true', ['require', 'false', '0', '1'].map((value) => `postgres://h?ssl=${value}`)],
  ['must set sslnegotiation to one of: direct', ['postgres://h?sslnegotiation=Direct']],
];

describe('parseConnectionUrl', () => {
  for (const [url, parameters] of valid)
    it(`parses ${url}`, () => {
      expect(parseConnectionUrl(url)).to.deep.equal(parameters);
    });

  for (const [message, urls] of invalid)
    it(`rejects ${urls.join(' and ')}`, () => {
      for (const url of urls) expect(() => parseConnectionUrl(url), url).to.throw(new RegExp(`^${escape(message)}$`));
    });
});

const escape = (text: string) => text.replace(/[?.]/g, '\\$&');
