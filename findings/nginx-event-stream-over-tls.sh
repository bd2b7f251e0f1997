#!/usr/bin/env bash
# nginx 1.22.1 (Debian) sends each event of a proxied stream at once over plain HTTP, and holds the same stream back
# over TLS: with `proxy_http_version 1.1`, only the TLS layer waits for more bytes or for the end of the stream. With
# `X-Accel-Buffering: no` in the response, it sends them at once in both cases.
# Output seen:
#   http: 3 of 3 events before the end of the stream
#   https: 0 of 3 events before the end of the stream
#   https, X-Accel-Buffering: no: 3 of 3 events before the end of the stream
set -euo pipefail
expected=$(sed -n 's/^#   //p' "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download nginx=1.22.1-9+deb12u11 libpcre2-8-0 libssl3 > /dev/null 2>&1
for package in *.deb; do dpkg -x "$package" .; done
openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost -keyout key.pem -out certificate.pem 2> /dev/null
cat > run.mjs << 'END'
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';

const listen = (server) => new Promise((done) => server.listen(0, '127.0.0.1', () => done(server.address().port)));
const freePort = async () => {
  const server = http.createServer();
  const port = await listen(server);
  server.close();
  return port;
};
let isEnded;
const backend = http.createServer(async ({ url }, response) => {
  isEnded = false;
  const headers = url === '/unbuffered' ? { 'X-Accel-Buffering': 'no' } : {};
  response.writeHead(200, { 'Content-Type': 'text/event-stream', ...headers });
  for (const id of [1, 2, 3]) {
    response.write(`data: ${id}\n\n`);
    await delay(300);
  }
  await delay(700);
  isEnded = true;
  response.end();
});
const [node, plain, tls] = [await listen(backend), await freePort(), await freePort()];
const location = `location / { proxy_pass http://127.0.0.1:${node}; proxy_http_version 1.1; }`;
const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
const paths = kinds.map((kind) => `${kind}_temp_path ${kind};`).join(' ');
writeFileSync(
  'nginx.conf',
  `daemon off; pid pid; error_log stderr crit; events {} http { access_log off; ${paths}
  server { listen 127.0.0.1:${plain}; ${location} }
  server { listen 127.0.0.1:${tls} ssl; ssl_certificate certificate.pem; ssl_certificate_key key.pem; ${location} } }`,
);
const args = ['-p', '.', '-c', `${process.cwd()}/nginx.conf`, '-e', 'stderr'];
const nginx = spawn('usr/sbin/nginx', args, { stdio: 'inherit' });
await delay(1000);

const count = (get, url) =>
  new Promise((done, fail) => {
    let early = '';
    get(url, { rejectUnauthorized: false }, (response) => {
      response.setEncoding('utf8').on('data', (text) => (isEnded ? undefined : (early += text)));
      response.on('end', () => done(early.split('data:').length - 1));
    }).on('error', fail);
  });
const print = (name, events) => console.log(`${name}: ${events} of 3 events before the end of the stream`);
print('http', await count(http.get, `http://127.0.0.1:${plain}/`));
print('https', await count(https.get, `https://127.0.0.1:${tls}/`));
print('https, X-Accel-Buffering: no', await count(https.get, `https://127.0.0.1:${tls}/unbuffered`));
nginx.kill();
backend.close();
END
LD_LIBRARY_PATH=$(echo usr/lib/*-linux-gnu) node run.mjs | tee output
[ "$(cat output)" = "$expected" ]
