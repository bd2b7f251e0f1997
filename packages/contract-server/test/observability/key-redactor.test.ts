import { keyPrefixesOf } from '@contract-server/core/contract/security.js';
import { changedContract } from '@contract-server/test-support/contract/changed-contract.js';
import { toysContract } from '@contract-server/test-support/contract/toys-contract.js';
import { expect } from 'chai';
import fc from 'fast-check';
import { createToken } from '#src/api-keys/token.js';
import { KeyRedactor } from '#src/log/key-redactor.js';

const { document } = toysContract;
const prefix = keyPrefixesOf(document)['production'] as string;
const redactor = new KeyRedactor(Object.values(keyPrefixesOf(document)));
const token = createToken(prefix);
const secret = token.slice(prefix.length);
const shown = (text: string) => redactor.sanitize(text);
/** As Node reads the path of a request: every character is a byte. */
const bytes = fc.string({
  unit: fc.integer({ min: 0, max: 0xff }).map((code) => String.fromCharCode(code)),
  maxLength: 400,
});

function percentEncode(text: string, isEncoded: (index: number) => boolean): string {
  const encode = (character: string) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
  return Array.from(text, (character, index) => (isEncoded(index) ? encode(character) : character)).join('');
}

describe('KeyRedactor.redact', () => {
  /** A contract without prefixes, and others whose prefixes are words, regular expressions, or begin alike. */
  const schemes = [undefined, { live: 'key_' }, { live: 'a.b+(', test: '[c' }, { live: 'lib_', test: 'lib_test_' }];
  for (const prefixes of schemes)
    it(`replaces keys and nothing else with ${prefixes === undefined ? 'the default prefix' : JSON.stringify(prefixes)}`, () => {
      const path = ['components', 'securitySchemes', 'apiKey', 'x-key-prefixes'];
      const contract = changedContract(path, prefixes, document);
      const own = new KeyRedactor(Object.values(keyPrefixesOf(contract)));
      for (const each of Object.values(keyPrefixesOf(contract))) {
        const key = createToken(each);
        for (const sent of [key, key.slice(0, each.length + 16)])
          expect(own.redact(`Unknown field ${sent}.`)).to.equal(`Unknown field ${each}….`);
        const harmless = `{"keyId":"key_0123456789ab"} No article has the slug ${each}1_of_2026, aab0123456789abcdefgh.`;
        expect(own.redact(harmless)).to.equal(harmless);
      }
    });
});

describe('KeyRedactor.sanitize', () => {
  it('returns a harmless path as sent, truncated after 200 characters, with each unprintable byte escaped', () => {
    for (const path of ['/', '/v1/pets/7', '/v1/a%20b%2Fc', `/${'x'.repeat(199)}`]) expect(shown(path)).to.equal(path);
    expect(shown(`/${'x'.repeat(60_000)}`)).to.equal(`/${'x'.repeat(198)}…`);
    expect(shown('/a\x00\r\n\x1b[31m\x7f\x9b\xe2\x80\xa8 é')).to.equal('/a%00%0D%0A%1B[31m%7F%9B%E2%80%A8%20%E9');
  });

  it('replaces API keys, even truncated or repeatedly percent-encoded ones', () => {
    expect(shown(`/v1/${token}/x`)).to.equal(`/v1/${prefix}…/x`);
    expect(shown(`/${'x'.repeat(965)}/${token}`)).to.not.contain(secret.slice(0, 4));
    let encoded = percentEncode(token, (index) => index % 3 === 1);
    for (let times = 1; times <= 5; times += 1) {
      expect(shown(`/v1/${encoded}/x`), encoded).to.equal(`/v1/${prefix}…/x`);
      encoded = encoded.replaceAll('%', '%25');
    }
  });

  it('returns printable, short text without a key for every input', () => {
    fc.assert(
      fc.property(bytes, bytes, fc.array(fc.boolean(), { minLength: token.length }), (before, after, encoded) => {
        const text = shown(`${before}${percentEncode(token, (index) => encoded[index] === true)}${after}`);
        expect(text).to.match(/^[\x21-\x7e…]{0,200}$/);
        expect(text).to.not.contain(secret.slice(0, 8));
      }),
    );
  });
});
