/** What the peers share: their settings, the contract, the catalogue, API keys, and Error bodies. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { LRUCache } from 'lru-cache';
import { parse } from 'yaml';
// By its path, because this folder has a package.json of its own, without the aliases of the project.
import { BetterSqlite3 } from '../../../packages/contract-server/dist/database/sqlite/better-sqlite3.js';

export const port = Number(process.env.PORT);
export const contract = parse(readFileSync(new URL('../../../spec/petstore.yaml', import.meta.url), 'utf8'));

export const petNotFound = { code: 'pet_not_found', message: 'No pet has this id.', status: 404 };
export const invalidApiKey = { code: 'invalid_api_key', message: 'The API key is not valid.', status: 401 };

const db = new BetterSqlite3(`${process.env.DATA_DIR}/petstore.db`);
db.pragma('journal_mode = WAL');
db.pragma(`synchronous = ${process.env.SYNCHRONOUS ?? 'NORMAL'}`);
const columns = 'id, name, category_id AS categoryId, status';
const one = db.prepare(`SELECT ${columns} FROM pets WHERE id = ?`);
const page = db.prepare(`SELECT ${columns} FROM pets ORDER BY id LIMIT ?`);
const pageByStatus = db.prepare(`SELECT ${columns} FROM pets WHERE status = ? ORDER BY id LIMIT ?`);
const insert = db.prepare('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)');
const keyByHash = db.prepare(`
  SELECT api_keys.id, expires_at AS expiresAt, revoked_at AS revokedAt,
    requests_per_minute AS perMinute, requests_per_day AS perDay
  FROM api_keys JOIN quotas ON quotas.id = quota_id WHERE token_hash = ?`);

/** Pets in a copy of the service's database. */
export const pets = {
  find: (id) => one.get(id),
  list: ({ status, limit }) => (status === undefined ? page.all(limit) : pageByStatus.all(status, limit)),
  create({ name, categoryId, status }) {
    const { lastInsertRowid } = insert.run(name, categoryId, status);
    return { id: Number(lastInsertRowid), name, categoryId, status };
  },
};

/** By token. The service caches as many keys for as long. */
const cachedKeys = new LRUCache({ max: 10_000, ttl: 4000 });

/** The API key of an `Authorization` header; `undefined` without a valid one. */
export function findKey(authorization) {
  const [scheme, token] = authorization?.split(' ') ?? [];
  if (scheme !== 'Bearer' || token === undefined) return undefined;
  const key = cachedKeys.get(token) ?? readKey(token);
  const isValid = key?.revokedAt === null && (key.expiresAt === null || key.expiresAt > Date.now());
  return isValid ? key : undefined;
}

function readKey(token) {
  const key = keyByHash.get(createHash('sha256').update(token).digest());
  // `undefined` is not cached: the key may be issued at any time.
  cachedKeys.set(token, key);
  return key;
}
