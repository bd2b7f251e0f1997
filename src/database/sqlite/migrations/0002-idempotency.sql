-- One row per Idempotency-Key under which a pet was created, written in the transaction that creates the pet. Times are
-- Unix milliseconds.
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
