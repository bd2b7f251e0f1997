-- AUTOINCREMENT: an id is never reused, not even that of the last pet.
CREATE TABLE pets (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  category_id INTEGER NOT NULL,
  status TEXT NOT NULL
) STRICT;

-- A listing by status is a scan of this index from the first row of the page.
CREATE INDEX pets_by_status ON pets (status, id);

CREATE TABLE quotas (
  id TEXT PRIMARY KEY,
  plan TEXT NOT NULL,
  requests_per_minute INTEGER,
  requests_per_day INTEGER
) STRICT, WITHOUT ROWID;

-- Times are Unix milliseconds.
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
