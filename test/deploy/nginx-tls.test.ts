import { execFile, spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { closeLater } from '#contract-server-test/support/closing.js';
import { freePort } from '#contract-server-test/support/machine/free-port.js';
import { watchChild } from '#contract-server-test/support/servers/child-process.js';
import { isListening } from '#contract-server-test/support/servers/is-listening.js';
import { temporaryDirectory } from '#contract-server-test/support/temporary-directory.js';
import { describeWithNginx } from '../support/servers/nginx.js';
import { useService } from '../support/servers/service.js';

const file = new URL('../../../deploy/nginx-tls.conf', import.meta.url);

describeWithNginx('deploy/nginx-tls.conf', () => {
  const service = useService({ TRUST_PROXY: '1', PUBLIC_BASE_URL: 'https://api.example/v1' });
  let port: number;
  let ca: Buffer;
  before(async () => {
    const directory = temporaryDirectory();
    const [certificate, key] = [join(directory, 'fullchain.pem'), join(directory, 'privkey.pem')];
    await promisify(execFile)('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=api.example'],
      ...['-addext', 'subjectAltName=DNS:api.example', '-keyout', key, '-out', certificate],
    ]);
    ca = await readFile(certificate);
    port = await freePort();
    const { port: nodePort } = service.server.address() as { readonly port: number };
    const site = (await readFile(file, 'utf8'))
      .replace('listen 443', `listen 127.0.0.1:${String(port)}`)
      .replaceAll('/etc/letsencrypt/live/api.example', directory)
      .replace('127.0.0.1:8080', `127.0.0.1:${String(nodePort)}`);
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`);
    const main = `daemon off; pid nginx.pid; events {} http { access_log off; ${paths.join(' ')}\n${site}}`;
    await writeFile(join(directory, 'nginx.conf'), main);
    const args = ['-p', directory, '-c', join(directory, 'nginx.conf'), '-e', 'stderr'];
    const child = spawn('nginx', args, { stdio: ['ignore', 'ignore', 'inherit'] });
    const ended = watchChild(child);
    closeLater(async () => {
      child.kill('SIGTERM');
      await ended;
    });
    while (!(await isListening(port))) {
      expect(child.exitCode).to.equal(null);
      await delay(10);
    }
  });

  const send = (method: string, path: string, headers: Readonly<Record<string, string>> = {}, body = '') =>
    new Promise<readonly [status: number | undefined, text: string, location: string | undefined]>(
      (resolve, reject) => {
        const options = {
          port,
          ca,
          method,
          path,
          servername: 'api.example',
          headers: { Host: 'api.example', ...headers },
        };
        request(options, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
          response.on('end', () => resolve([response.statusCode, text, response.headers.location]));
        })
          .on('error', reject)
          .end(body);
      },
    );
  const authorized = () => ({ Authorization: `Bearer ${service.token}`, 'Content-Type': 'application/json' });

  it('serves the API over TLS, with the URL that clients use in its links', async () => {
    const [status, , location] = await send('POST', '/v1/pets', authorized(), '{"name":"Rex","categoryId":7}');
    expect([status, location]).to.deep.equal([201, 'https://api.example/v1/pets/1']);
  });

  it('leaves the errors of large bodies to the service, and publishes no health checks', async () => {
    const [status, text] = await send('POST', '/v1/pets', authorized(), ' '.repeat(70_000));
    expect([status, (JSON.parse(text) as { code: string }).code]).to.deep.equal([413, 'body_too_large']);
    for (const path of ['/healthz', '/readyz']) expect((await send('GET', path))[0], path).to.equal(404);
  });
});
