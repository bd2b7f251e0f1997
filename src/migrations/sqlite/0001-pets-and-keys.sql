-- Times are Unix milliseconds.

-- AUTOINCREMENT: an id is never reused, not even that of the last pet.
CREATE TABLE pets (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  category_id INTEGER NOT NULL,
  status TEXT NOT NULL
) STRICT;

-- A listing by status is a scan of this index from the first row of the page.
CREATE INDEX pets_by_status ON pets (status, id);

-- One row per Idempotency-Key under which a pet was created, written in the transaction that creates the pet.
CREATE TABLE idempotency_keys (
  quota_id TEXT NOT NULL,
  key TEXT NOT NULL,
  -- The SHA-256 of the request body.
  body_digest BLOB NOT NULL,
  pet_id INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (quota_id, key)
) STRICT, WITHOUT ROWID;

-- Finds expired rows without reading the others.
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);

CREATE TABLE quotas (
  id TEXT PRIMARY KEY,
  plan TEXT NOT NULL,
  requests_per_minute INTEGER,
  requests_per_day INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE api_keys (
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
