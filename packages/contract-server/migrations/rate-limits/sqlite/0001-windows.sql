-- The windows and bans of quotas, which the server saves every second. Times are Unix milliseconds.
CREATE TABLE IF NOT EXISTS rate_limit_windows (
  quota_id TEXT PRIMARY KEY,
  minute_started_at INTEGER NOT NULL,
  minute_used INTEGER NOT NULL,
  minute_rejected INTEGER NOT NULL,
  day_started_at INTEGER NOT NULL,
  day_used INTEGER NOT NULL,
  banned_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The quotas that an operator has unbanned. The server applies and deletes them with its next save.
CREATE TABLE IF NOT EXISTS rate_limit_resets (quota_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
