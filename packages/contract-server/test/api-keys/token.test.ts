import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { createToken, hashToken, isToken, randomText, withChecksum } from '#src/api-keys/token.js';

const alphabet = Array.from('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');
const prefix = 'pets_live_';
const token = fc.constant(prefix).map(createToken);

describe('an API key', () => {
  it('is a prefix, 30 random characters and the CRC-32 of both in base62, and is stored as its SHA-256', () => {
    for (let round = 0; round < 100; round += 1) {
      const text = createToken(prefix);
      expect(text).to.match(/^pets_live_[0-9A-Za-z]{36}$/);
      const checksum = Array.from(text.slice(-6)).reduce((value, digit) => value * 62 + alphabet.indexOf(digit), 0);
      expect(checksum).to.equal(crc32(text.slice(0, -6)));
      expect(hashToken(text)).to.deep.equal(createHash('sha256').update(text).digest());
    }
  });

  it('has the form of a key of its environment only', () => {
    const text = createToken('pets_test_');
    const live = text.replace('pets_test_', prefix);
    const forms = [isToken(text, 'pets_test_'), isToken(text, prefix), isToken(live, prefix)];
    expect(forms).to.deep.equal([true, false, false]);
  });

  it('is malformed if any character is changed, removed or added, or two adjacent ones are swapped', () => {
    const added = fc.oneof(fc.constantFrom('', ...alphabet), fc.string({ minLength: 1, maxLength: 1 }));
    fc.assert(
      fc.property(token, fc.nat(46), fc.nat(1), added, (text, at, removed, character) => {
        const swapped = text.slice(0, at) + (text[at + 1] ?? '') + (text[at] ?? '') + text.slice(at + 2);
        for (const altered of [text.slice(0, at) + character + text.slice(at + removed), swapped])
          expect(isToken(altered, prefix), altered).to.equal(altered === text);
      }),
      { numRuns: 2000 },
    );
  });

  it('is malformed with another length or other characters, even with the right checksum', () => {
    for (const length of [0, 29, 30, 31])
      expect(isToken(withChecksum(prefix + 'a'.repeat(length)), prefix), String(length)).to.equal(length === 30);
    for (const character of ['é', ' ', '\n', '-', '_']) {
      const text = withChecksum(`${prefix}${character}${randomText(29)}`);
      expect(isToken(text, prefix), JSON.stringify(character)).to.equal(false);
    }
  });
});

describe('randomText', () => {
  it('has the requested length, and is never repeated', () => {
    expect(randomText(0)).to.equal('');
    expect(new Set(Array.from({ length: 1000 }, () => randomText(12))).size).to.equal(1000);
    expect(randomText(12)).to.have.lengthOf(12);
  });

  it('contains each of the 62 characters equally often', () => {
    const expected = 2000;
    const counts = new Map(alphabet.map((character) => [character, 0]));
    for (const character of randomText(expected * 62)) counts.set(character, (counts.get(character) ?? NaN) + 1);
    const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
    // With 61 degrees of freedom a fair draw exceeds 153 once in a billion runs; a byte taken modulo 62 gives about
    // 3000.
    expect(chiSquare).to.be.below(153);
  });
});
