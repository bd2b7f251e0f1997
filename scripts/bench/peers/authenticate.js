import { createHash } from 'node:crypto';

/** The key of an `Authorization` header; `undefined` without a valid one. */
export function authenticate(catalogue, authorization) {
  const [scheme, token] = authorization?.split(' ') ?? [];
  if (scheme !== 'Bearer' || token === undefined) return undefined;
  const key = catalogue.findKey(createHash('sha256').update(token).digest());
  if (key === undefined || key.revokedAt !== null) return undefined;
  return key.expiresAt === null || key.expiresAt > Date.now() ? key : undefined;
}
