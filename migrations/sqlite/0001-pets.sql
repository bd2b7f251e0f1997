-- Times are Unix milliseconds.

-- AUTOINCREMENT: an id is never reused, not even that of the last pet.
CREATE TABLE IF NOT EXISTS pets (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  category_id INTEGER NOT NULL,
  status TEXT NOT NULL
) STRICT;

-- A listing by status is a scan of this index from the first row of the page.
CREATE INDEX IF NOT EXISTS pets_by_status ON pets (status, id);

-- One row per Idempotency-Key under which a pet was created, written in the transaction that creates the pet.
CREATE TABLE IF NOT EXISTS idempotency_keys (
  quota_id TEXT NOT NULL,
  key TEXT NOT NULL,
  -- The SHA-256 of the request body.
  body_digest BLOB NOT NULL,
  pet_id INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (quota_id, key)
) STRICT, WITHOUT ROWID;

-- Finds expired rows without reading the others.
CREATE INDEX IF NOT EXISTS idempotency_keys_by_expiry ON idempotency_keys (expires_at);
