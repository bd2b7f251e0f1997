import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);

/** One of the settings that OWASP recommends. It needs 32 MiB. */
const cost = { N: 2 ** 15, r: 8, p: 3 };
const memoryBytesMax = 64 * 1024 * 1024;

/** Hashes a password with scrypt (RFC 7914) and a random salt, without blocking the event loop. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt, 32, { ...cost, maxmem: memoryBytesMax });
  return [...Object.values(cost), salt.toString('base64url'), key.toString('base64url')].join('$');
}

/** Whether a hash is that of a password. Hashes contain their cost, so that it can be raised for later ones. */
export async function isPassword(password: string, hash: string): Promise<boolean> {
  const [N, r, p, salt = '', key = ''] = hash.split('$');
  const expected = Buffer.from(key, 'base64url');
  const options = { N: Number(N), r: Number(r), p: Number(p), maxmem: memoryBytesMax };
  return timingSafeEqual(await derive(password, Buffer.from(salt, 'base64url'), expected.length, options), expected);
}
