-- A database with `service_migrations`, which has no parts: its migrations, their records, and a pet, a key, its quota and
-- an idempotency key.
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

-- The windows and bans of quotas, which the server saves every second. Times are Unix milliseconds.
CREATE TABLE rate_limit_windows (
  quota_id TEXT PRIMARY KEY,
  minute_started_at INTEGER NOT NULL,
  minute_used INTEGER NOT NULL,
  minute_rejected INTEGER NOT NULL,
  day_started_at INTEGER NOT NULL,
  day_used INTEGER NOT NULL,
  banned_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The quotas that an operator has unbanned. The server applies and deletes them with its next save.
CREATE TABLE rate_limit_resets (quota_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

CREATE TABLE service_migrations (version integer PRIMARY KEY, name text NOT NULL, compatible_from integer NOT NULL);
INSERT INTO service_migrations VALUES (1, 'pets-and-keys', 1);
INSERT INTO service_migrations VALUES (2, 'rate-limit-windows', 1);
INSERT INTO pets VALUES (7, 'Rex', 9223372036854775807, 'sold');
INSERT INTO quotas VALUES ('quota_rex', 'pro', NULL, NULL);
INSERT INTO api_keys VALUES ('key_rex', x'00', 'Rex', 'quota_rex', 1, NULL, NULL, NULL, NULL);
INSERT INTO rate_limit_windows VALUES ('quota_rex', 1, 2, 3, 4, 5, 6);
