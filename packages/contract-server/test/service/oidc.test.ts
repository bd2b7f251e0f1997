import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { closeLater } from '@contract-server/test-support/closing.js';
import { LogLines } from '@contract-server/test-support/log-lines.js';
import type { Contract } from '@contract-server/test-support/notes/generated/contract.js';
import { contract, memoryNotes, notesHandlers, type Owner } from '@contract-server/test-support/notes/notes.js';
import { listen } from '@contract-server/test-support/servers/listen.js';
import { expect } from 'chai';
import express from 'express';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { pino } from 'pino';
import supertest from 'supertest';
import { createRouter } from '#src/index.js';

const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
const [, example = ''] = /^```js\n\/\/ oidc\.js\n(.*?)^```$/ms.exec(readme) ?? [];

/** Loads the example of the README with the issuer of a test. */
async function load(issuer: string) {
  const url = new URL('oidc-example.js', import.meta.url);
  writeFileSync(
    url,
    example.replace('https://login.example.com/', issuer).replace("'contract-server'", "'#src/index.js'"),
  );
  return (await import(url.href)) as { readonly token: (credentials: string) => Promise<Owner | undefined> };
}

async function createKey(kid: string) {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256' } };
}

describe('the security handler for OpenID Connect in the README', () => {
  const { now } = Date;
  afterEach(() => {
    Date.now = now;
  });

  it('verifies issuer, audience, time and signature, and accepts keys that the issuer has rotated', async () => {
    const [first, second] = [await createKey('first'), await createKey('second')];
    let published: unknown[] | undefined = [first.jwk];
    const provider = createServer((_request, response) => {
      response.statusCode = published === undefined ? 500 : 200;
      response.end(JSON.stringify({ keys: published }));
    });
    const issuer = `http://127.0.0.1:${String(await listen(provider))}/`;
    closeLater(() => provider.closeAllConnections());
    const options = { contract, security: await load(issuer), logger: pino(new LogLines()) };
    const app = supertest(
      express().use(await createRouter<Contract>()({ ...options, handlers: notesHandlers(memoryNotes()) })),
    );
    const send = async (key: typeof first, claims: object = {}) => {
      const valid = { iss: issuer, aud: 'library', sub: 'ann', exp: Math.floor(now() / 1000) + 600 };
      const token = new SignJWT({ ...valid, ...claims }).setProtectedHeader({ alg: 'ES256', kid: key.kid });
      const sent = app.get('/api/notes/1').set('Authorization', `Bearer ${await token.sign(key.privateKey)}`);
      return (await sent).status;
    };
    // The note does not exist; the caller may read it.
    expect(await send(first)).to.equal(404);
    expect(await send(first, { iss: 'https://other.example.com/' })).to.equal(401);
    expect(await send(first, { aud: 'other' })).to.equal(401);
    expect(await send(first, { exp: 1 })).to.equal(401);
    expect(await send({ ...second, kid: 'first' })).to.equal(401);
    expect(await send(second)).to.equal(401);

    published = [second.jwk];
    // Until then, jose does not download the keys again.
    Date.now = () => now() + 31_000;
    expect(await send(second)).to.equal(404);
    expect(await send(first)).to.equal(401);

    published = undefined;
    Date.now = () => now() + 62_000;
    expect(await send(await createKey('third'))).to.equal(503);
  });
});
