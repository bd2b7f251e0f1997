import { join } from 'node:path';
import Database from 'better-sqlite3';

const columns = `id, name, category_id AS categoryId, status`;

/** Pets and keys in a copy of the service's database, with one prepared statement per query. */
export function openCatalogue(directory) {
  const db = new Database(join(directory, 'petstore.db'));
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = NORMAL');
  const one = db.prepare(`SELECT ${columns} FROM pets WHERE id = ?`);
  const page = db.prepare(`SELECT ${columns} FROM pets ORDER BY id LIMIT ?`);
  const pageByStatus = db.prepare(`SELECT ${columns} FROM pets WHERE status = ? ORDER BY id LIMIT ?`);
  const insert = db.prepare('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)');
  const key = db.prepare(`
    SELECT api_keys.id, expires_at AS expiresAt, revoked_at AS revokedAt,
      requests_per_minute AS perMinute, requests_per_day AS perDay
    FROM api_keys JOIN quotas ON quotas.id = quota_id WHERE token_hash = ?`);
  return {
    find: (id) => one.get(id),
    list: ({ status, limit }) => (status === undefined ? page.all(limit) : pageByStatus.all(status, limit)),
    create({ name, categoryId, status }) {
      const { lastInsertRowid } = insert.run(name, categoryId, status);
      return { id: Number(lastInsertRowid), name, categoryId, status };
    },
    findKey: (tokenHash) => key.get(tokenHash),
  };
}
