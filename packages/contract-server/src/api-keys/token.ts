import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomLength = 30;
const checksumLength = 6;

/**
 * Creates the secret of an API key: a prefix for the environment, 30 base62 characters from a CSPRNG (178 bits), and
 * the CRC-32 of both in 6 base62 characters. Secret scanners recognize it, and a mistyped key needs no look-up.
 */
export function createToken(prefix: string): string {
  return withChecksum(prefix + randomText(randomLength));
}

/** Appends the checksum of a token. */
export function withChecksum(content: string): string {
  return content + checksum(content);
}

/** Whether a text has the form of a token with this prefix, including the checksum. It may not have been issued. */
export function isToken(text: string, prefix: string): boolean {
  if (text.length !== prefix.length + randomLength + checksumLength || !text.startsWith(prefix)) return false;
  const content = text.slice(0, -checksumLength);
  return /^[0-9A-Za-z]*$/.test(text.slice(prefix.length)) && checksum(content) === text.slice(-checksumLength);
}

/** The SHA-256 of a token, which is stored instead. 178 random bits need neither salt nor key stretching. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Uniformly distributed base62 characters from a CSPRNG. */
export function randomText(length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}

function checksum(content: string): string {
  const value = crc32(content);
  const digitOf = (place: number) => alphabet[Math.floor(value / alphabet.length ** place) % alphabet.length];
  return Array.from({ length: checksumLength }, (_, index) => digitOf(checksumLength - 1 - index)).join('');
}
