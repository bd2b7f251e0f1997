import { createHash } from 'node:crypto';
import { settings } from './settings.js';

/** Like that of the service. */
const cacheTtlMs = 5000;
const cache = new Map();

/** The key of an `Authorization` header; `undefined` without a valid one. */
export function authenticate(catalogue, authorization) {
  const [scheme, token] = authorization?.split(' ') ?? [];
  if (scheme !== 'Bearer' || token === undefined) return undefined;
  const key = settings.cachesKeys ? findCached(catalogue, token) : findKey(catalogue, token);
  if (key === undefined || key.revokedAt !== null) return undefined;
  return key.expiresAt === null || key.expiresAt > Date.now() ? key : undefined;
}

function findKey(catalogue, token) {
  return catalogue.findKey(createHash('sha256').update(token).digest());
}

function findCached(catalogue, token) {
  const now = Date.now();
  const cached = cache.get(token);
  if (cached !== undefined && now < cached.expiresAt) return cached.key;
  const key = findKey(catalogue, token);
  cache.set(token, { key, expiresAt: now + cacheTtlMs });
  return key;
}
