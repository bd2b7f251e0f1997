import type { ContractTypes } from '@contract-server/core/types/types.js';
import { place } from '@contract-server/test-support/contract/contract-errors.js';
import { ping, withoutPrefix } from '@contract-server/test-support/contract/ping-contracts.js';
import { LogLines } from '@contract-server/test-support/log-lines.js';
import { expect } from 'chai';
import express from 'express';
import { pino } from 'pino';
import supertest from 'supertest';
import { type BasicCredentials, createRouter } from '#src/index.js';

const contract = `${withoutPrefix}
security: [{ login: [] }]
components: { securitySchemes: { login: { type: http, scheme: Basic } } }
`;
const base64 = (text: string, encoding: BufferEncoding = 'utf8') => Buffer.from(text, encoding).toString('base64');

describe('a security handler of the HTTP authentication scheme Basic', () => {
  let received: unknown[] = [];
  let agent: ReturnType<typeof supertest>;
  beforeEach(async () => {
    received = [];
    const { url } = place({ 'contract.yaml': contract });
    const login = (credentials: BasicCredentials) => {
      received.push(credentials);
      return credentials.password === '' ? undefined : { id: credentials.username };
    };
    const options = { contract: url, handlers: { ping } as object, logger: pino(new LogLines()) };
    agent = supertest(express().use(await createRouter<ContractTypes>()({ ...options, security: { login } })));
  });
  const send = (text: string) => agent.get('/ping').set('Authorization', text);

  it('receives the name and the password, decoded as UTF-8', async () => {
    for (const [username, password] of [
      ['Aladdin', 'open sesame'],
      ['Ädä', 'a:b€:'],
      ['', 'x'],
    ] as const) {
      await send(`basic ${base64(`${username}:${password}`)}`).expect(200);
      expect(received.splice(0)).to.deep.equal([{ username, password }]);
    }
    await send(`Basic ${base64('ann:')}`).expect(401);
    expect(received).to.deep.equal([{ username: 'ann', password: '' }]);
  });

  it('is not called for malformed credentials, which are a 401', async () => {
    const invalid = [
      base64('no colon'),
      base64('Äda:x', 'latin1'),
      base64('ann:\u0000'),
      base64('ann:a\nb'),
      'YW5uOng',
      '%',
    ];
    for (const text of invalid) {
      const { headers } = await send(`Basic ${text}`).expect(401);
      expect(headers['www-authenticate']).to.equal('Basic realm="Ping", charset="UTF-8", error="invalid_token"');
    }
    await agent.get('/ping').expect(401).expect('WWW-Authenticate', 'Basic realm="Ping", charset="UTF-8"');
    expect(received).to.deep.equal([]);
  });
});
