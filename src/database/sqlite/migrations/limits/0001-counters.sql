-- One row per quota that was used recently. Times are Unix milliseconds; 0 means never.
CREATE TABLE counters (
  quota_id TEXT PRIMARY KEY,
  minute_started_at INTEGER NOT NULL,
  minute_used INTEGER NOT NULL,
  minute_rejected INTEGER NOT NULL,
  day_started_at INTEGER NOT NULL,
  day_used INTEGER NOT NULL,
  abused_minutes INTEGER NOT NULL,
  abused_started_at INTEGER NOT NULL,
  bans INTEGER NOT NULL,
  banned_at INTEGER NOT NULL,
  banned_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Inserted by `petstore keys unban`, and deleted by the server, which is the only writer of the counters.
CREATE TABLE unbans (
  quota_id TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
