import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { requireAddressPlan } from '#src/http/address-limit.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import { petstore, TextOutput } from '../../support/cli/command-line.js';

const { document } = await readContract(contractUrl);
const { requestsPerMinute } = requireAddressPlan(document);

describe('petstore mock --stateful', () => {
  for (const [plan, expected] of [
    [[], [401]],
    [
      ['--plan', 'free'],
      [401, 429],
    ],
  ] as const) {
    it(`limits requests without a key only with a plan: ${plan.join(' ')}`, async () => {
      const [stderr, signals] = [new TextOutput(), Object.assign(new EventEmitter(), { exit: () => undefined })];
      const env = { PORT: '0', LOG_LEVEL: 'silent' };
      const ended = petstore(['mock', '--stateful', ...plan], { env, stderr, signals });
      while (!stderr.text.includes('curl')) await new Promise((resolve) => setImmediate(resolve));
      const [, baseUrl = ''] = / is at (\S+)\n/.exec(stderr.text) ?? [];
      const statuses = new Set<number>();
      for (let sent = 0; sent <= requestsPerMinute; sent += 1)
        statuses.add((await fetch(`${baseUrl}/pets`, { headers: { Connection: 'close' } })).status);
      expect([...statuses]).to.deep.equal(expected);
      signals.emit('SIGTERM');
      expect((await ended).exitCode).to.equal(0);
      signals.emit('exit');
    });
  }
});
