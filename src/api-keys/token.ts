import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomLength = 30;
const checksumLength = 6;

/**
 * The secret text of an API key: a prefix for the environment, 30 base62 characters from a CSPRNG (178 bits), and the
 * CRC-32 of all that in 6 base62 characters. A secret scanner recognizes one by itself, and a mistyped one costs no
 * look-up.
 */
export function createToken(prefix: string): string {
  const content = prefix + randomText(randomLength);
  return content + checksum(content);
}

/**
 * Whether a text has the form of a token with this prefix, checksum included. Says nothing about whether it was issued.
 */
export function isToken(text: string, prefix: string): boolean {
  if (text.length !== prefix.length + randomLength + checksumLength || !text.startsWith(prefix)) return false;
  const content = text.slice(0, -checksumLength);
  return /^[0-9A-Za-z]*$/.test(text.slice(prefix.length)) && checksum(content) === text.slice(-checksumLength);
}

/** The SHA-256 of a token: all that is stored of it. Its 178 random bits make salt and stretching needless. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Base62 characters from a CSPRNG, each equally likely. */
export function randomText(length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}

function checksum(content: string): string {
  let rest = crc32(content);
  let text = '';
  for (let digit = 0; digit < checksumLength; digit += 1) {
    text = `${alphabet[rest % alphabet.length] ?? ''}${text}`;
    rest = Math.floor(rest / alphabet.length);
  }
  return text;
}
