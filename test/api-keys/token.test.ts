import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { createToken, hashToken, isToken, randomText, withChecksum } from '#src/api-keys/token.js';

const alphabet = Array.from('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');
const prefix = 'pets_live_';
const token = fc.constant(prefix).map(createToken);

describe('an API key', () => {
  it('is a prefix, 30 random characters and the CRC-32 of both in base62', () => {
    for (let round = 0; round < 100; round += 1) {
      const text = createToken(prefix);
      expect(text).to.match(/^pets_live_[0-9A-Za-z]{36}$/);
      const checksum = Array.from(text.slice(-6)).reduce((value, digit) => value * 62 + alphabet.indexOf(digit), 0);
      expect(checksum).to.equal(crc32(text.slice(0, -6)));
    }
  });

  it('has the form of a key of its environment only', () => {
    const text = createToken('pets_test_');
    expect(isToken(text, 'pets_test_')).to.equal(true);
    expect(isToken(text, prefix)).to.equal(false);
    expect(isToken(text.replace('pets_test_', prefix), prefix)).to.equal(false);
  });

  it('is malformed if any character is changed, removed or added', () => {
    const character = fc.oneof(fc.constantFrom(...alphabet), fc.string({ minLength: 1, maxLength: 1 }));
    const splice = fc.tuple(fc.nat(), fc.nat(1), fc.oneof(fc.constant(''), character));
    fc.assert(
      fc.property(token, splice, (text, [at, removed, added]) => {
        const start = at % (text.length + 1);
        const altered = text.slice(0, start) + added + text.slice(start + removed);
        expect(isToken(altered, prefix), altered).to.equal(altered === text);
      }),
      { numRuns: 2000 },
    );
  });

  it('is malformed if two adjacent characters are swapped', () => {
    fc.assert(
      fc.property(token, fc.nat(44), (text, at) => {
        const swapped = text.slice(0, at) + (text[at + 1] ?? '') + (text[at] ?? '') + text.slice(at + 2);
        expect(isToken(swapped, prefix), swapped).to.equal(swapped === text);
      }),
    );
  });

  it('is malformed with another length, even with the right checksum', () => {
    for (const length of [0, 29, 31]) {
      expect(isToken(withChecksum(prefix + 'a'.repeat(length)), prefix)).to.equal(false);
    }
    expect(isToken(withChecksum(prefix + 'a'.repeat(30)), prefix)).to.equal(true);
  });

  it('is malformed with other characters, even with the right checksum', () => {
    for (const invalidCharacter of ['é', ' ', '\n', '-', '_']) {
      const content = `${prefix}${invalidCharacter}${randomText(29)}`;
      let rest = crc32(content);
      let checksum = '';
      for (let digit = 0; digit < 6; digit += 1, rest = Math.floor(rest / 62))
        checksum = `${alphabet[rest % 62] ?? ''}${checksum}`;
      expect(isToken(content + checksum, prefix), JSON.stringify(invalidCharacter)).to.equal(false);
    }
  });

  it('is stored as its SHA-256', () => {
    const text = createToken(prefix);
    expect(hashToken(text).equals(createHash('sha256').update(text).digest())).to.equal(true);
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
    const counts = new Map<string, number>();
    for (const character of randomText(expected * 62)) counts.set(character, (counts.get(character) ?? 0) + 1);
    expect([...counts.keys()].sort()).to.deep.equal([...alphabet].sort());
    const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
    // With 61 degrees of freedom a fair draw exceeds 153 once in a billion runs; a byte taken modulo 62 gives about
    // 3000.
    expect(chiSquare).to.be.below(153);
  });
});
