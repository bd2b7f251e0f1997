import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '@contract-server/core/lib/errors.js';
import { errorOf } from '@contract-server/test-support/error-of.js';
import { giveToPostgres, postgresOwner } from '@contract-server/test-support/machine/postgres-programs.js';
import { describePostgres, openTestPostgres } from '@contract-server/test-support/postgres/postgres.js';
import { PostgresServer } from '@contract-server/test-support/postgres/postgres-server.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expect } from 'chai';

/** Creates a certificate, of its own authority or signed by one. @returns the paths of the certificate and its key. */
function createCertificate(directory: string, name: string, signer?: readonly [certificate: string, key: string]) {
  const [certificate, key] = [join(directory, `${name}.pem`), join(directory, `${name}.key`)] as const;
  const args = [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', `/CN=${name}`],
    ...['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', certificate],
    ...(signer === undefined ? [] : ['-CA', signer[0], '-CAkey', signer[1]]),
  ];
  execFileSync('openssl', args, { stdio: 'pipe' });
  return [certificate, key] as const;
}

describePostgres('a connection to PostgreSQL', () => {
  const directory = temporaryDirectory();
  const authority = createCertificate(directory, 'authority');
  const [other] = createCertificate(directory, 'other');
  let url: string;

  before(async () => {
    const server = await PostgresServer.create();
    url = await server.createDatabase();
    const [certificate, key] = createCertificate(directory, 'server', authority);
    writeFileSync(certificate, readFileSync(certificate, 'utf8') + readFileSync(authority[0], 'utf8'));
    giveToPostgres(directory);
    if (postgresOwner.uid !== undefined) chownSync(key, postgresOwner.uid, postgresOwner.gid);
    chmodSync(key, 0o600);
    await server.stop();
    const tls = ['ssl=on', `ssl_cert_file=${certificate}`, `ssl_key_file=${key}`];
    await server.start([...tls, `unix_socket_directories=${directory}`]);
  });

  /** Whether the connection of a pool is encrypted. */
  async function isEncrypted(connectionUrl: string): Promise<boolean | undefined> {
    const db = await openTestPostgres(connectionUrl, 1);
    const [row] = await db.query<{ ssl: boolean }>('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
    return row?.ssl;
  }

  async function messageOf(connectionUrl: string): Promise<string> {
    const error = await errorOf(isEncrypted(connectionUrl));
    expect(error).to.be.instanceOf(StartError);
    return (error as StartError).message;
  }

  it('uses a Unix socket whose directory is the parameter host, or the escaped host', async () => {
    const { username, password, port, pathname } = new URL(url);
    const credentials = `postgres://${username}:${password}@`;
    for (const place of [`/`, `:${port}/`])
      expect(await isEncrypted(`${credentials}${place}${pathname.slice(1)}?host=${directory}&port=${port}`)).to.equal(
        false,
      );
    expect(await isEncrypted(`${credentials}${encodeURIComponent(directory)}:${port}${pathname}`)).to.equal(false);
  });

  it('is encrypted and checked against the authority, with every parameter that asks for TLS', async () => {
    const file = `sslrootcert=${authority[0]}`;
    for (const mode of ['sslmode=verify-full&', 'sslmode=verify-ca&', 'sslmode=require&', 'ssl=true&', ''])
      expect(await isEncrypted(`${url}?${mode}${file}`), mode).to.equal(true);
    expect(await isEncrypted(`${url}?sslmode=no-verify`)).to.equal(true);
    for (const without of ['', '?sslmode=disable', `?sslmode=disable&${file}`])
      expect(await isEncrypted(`${url}${without}`), without).to.equal(false);
  });

  it('names sslrootcert if the authority of the server is unknown', async () => {
    for (const parameters of ['sslmode=verify-full', 'sslmode=require', 'ssl=true', `sslrootcert=${other}`])
      expect(await messageOf(`${url}?${parameters}`), parameters).to.match(
        / cannot be used: self-signed certificate in certificate chain; set sslrootcert to the certificate of its authority\. See DATABASE_URL\.$/,
      );
  });

  it('names the parameter of a file that cannot be read or used', async () => {
    expect(await messageOf(`${url}?sslrootcert=/nowhere`)).to.equal(
      'sslrootcert in DATABASE_URL, /nowhere, cannot be read: no such file or directory.',
    );
    const noPem = join(directory, 'no.pem');
    writeFileSync(noPem, 'x');
    for (const parameters of [`sslcert=${noPem}`, `sslcert=${other}&sslkey=${authority[1]}`])
      expect(await messageOf(`${url}?${parameters}`)).to.match(/^sslcert and sslkey in DATABASE_URL cannot be used: /);
  });

  it('names the host if the certificate is for another one', async () => {
    const message = await messageOf(`${url.replace('127.0.0.1', 'localhost')}?sslrootcert=${authority[0]}`);
    expect(message).to.match(/ cannot be used: Hostname\/IP does not match certificate's altnames: /);
  });
});
