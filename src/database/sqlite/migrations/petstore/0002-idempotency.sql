-- One row per Idempotency-Key under which an animal was created, written in the animal's own transaction. Times are Unix milliseconds.
CREATE TABLE idempotency_keys (
  budget_id TEXT NOT NULL,
  key TEXT NOT NULL,
  -- The SHA-256 of the request body.
  body_digest BLOB NOT NULL,
  pet_id INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (budget_id, key)
) STRICT, WITHOUT ROWID;

-- What has expired is found here, however much has not.
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);
