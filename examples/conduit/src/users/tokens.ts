import { createSecretKey, type KeyObject } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';

const algorithm = 'HS256';
const lifetimeMs = 30 * 24 * 60 * 60 * 1000;

/** Parses the secret that signs tokens. @throws Error that completes "it …". */
export function parseTokenKey(secret: string): KeyObject {
  if (secret.length < 32) throw new Error('must have at least 32 characters');
  return createSecretKey(secret, 'utf8');
}

/** Creates the token of a user, a JWT (RFC 7519) that expires after 30 days. @param now in Unix milliseconds. */
export function signToken(userId: string, key: KeyObject, now: number): Promise<string> {
  return new SignJWT()
    .setProtectedHeader({ alg: algorithm })
    .setSubject(userId)
    .setIssuedAt(new Date(now))
    .setExpirationTime(new Date(now + lifetimeMs))
    .sign(key);
}

/** Returns the id of the user who has the token; `undefined` if it is invalid or has expired. */
export async function findUserId(token: string, key: KeyObject, now: number): Promise<string | undefined> {
  try {
    const options = { algorithms: [algorithm], requiredClaims: ['sub', 'exp'], currentDate: new Date(now) };
    const { payload } = await jwtVerify(token, key, options);
    return payload.sub;
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}
