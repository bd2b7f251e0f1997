-- Times are Unix milliseconds.

CREATE TABLE IF NOT EXISTS quotas (
  id TEXT PRIMARY KEY,
  plan TEXT NOT NULL,
  requests_per_minute INTEGER,
  requests_per_day INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS api_keys (
  id TEXT PRIMARY KEY,
  token_hash BLOB NOT NULL UNIQUE,
  name TEXT NOT NULL,
  quota_id TEXT NOT NULL REFERENCES quotas (id),
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  rotated_at INTEGER,
  last_used_at INTEGER
) STRICT;
