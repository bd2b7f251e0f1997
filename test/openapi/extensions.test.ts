import { expect } from 'chai';
import { requireExtensions } from '#src/openapi/extensions.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import { changedContract, type Json } from '../support/contract/changed-contract.js';

const { document } = await readContract(contractUrl);

describe('the extensions of the contract', () => {
  it('are valid', () => {
    expect(() => requireExtensions(document)).not.to.throw();
  });

  const mistakes: readonly (readonly [path: readonly string[], value: Json | undefined, complaint: RegExp])[] = [
    [
      ['x-rate-limit-plans', 'free'],
      { requestPerMinute: 60, requestsPerDay: 1000 },
      /free must have required property 'requestsPerMinute'/,
    ],
    [['x-rate-limit-plans', 'free'], { requestsPerMinute: 60 }, /free must have required property 'requestsPerDay'/],
    [['x-rate-limit-plans', 'free', 'requestsPerMinute'], 0, /requestsPerMinute must be >= 1/],
    [['x-rate-limit-ban', 'seconds'], undefined, /x-rate-limit-ban must have required property 'seconds'/],
    [['x-rate-limit-address-plan'], undefined, /must have required property 'x-rate-limit-address-plan'/],
    [['x-error-codes', 'pet_not_found', 'status'], '404', /pet_not_found\/status must be integer/],
    [['x-error-codes', 'pet_not_found', 'resolution'], undefined, /must have required property 'resolution'/],
    [
      ['components', 'securitySchemes', 'apiKey', 'x-key-prefixes'],
      undefined,
      /must have required property 'x-key-prefixes'/,
    ],
    [
      ['components', 'parameters', 'IdempotencyKey', 'x-idempotency-retention-seconds'],
      0,
      /retention-seconds must be >= 1/,
    ],
    [
      ['components', 'parameters', 'IdempotencyKey', 'x-idempotency-retention-seconds'],
      undefined,
      /IdempotencyKey must have required property 'x-idempotency-retention-seconds'/,
    ],
    [['paths', '/pets', 'get', 'x-stability'], 'stabel', /get\/x-stability must be equal to one of the allowed values/],
    [['paths', '/pets', 'get', 'x-stability'], undefined, /get must have required property 'x-stability'/],
  ];
  for (const [path, value, complaint] of mistakes) {
    it(`are invalid if ${path.join('.')} is ${value === undefined ? 'missing' : JSON.stringify(value)}`, () => {
      expect(() => requireExtensions(changedContract(path, value))).to.throw(TypeError, complaint);
    });
  }
});
