-- One row per budget that was used lately. Instants are Unix milliseconds, 0 stands for never.
CREATE TABLE counters (
  budget_id TEXT PRIMARY KEY,
  minute_started_at INTEGER NOT NULL,
  minute_used INTEGER NOT NULL,
  minute_refused INTEGER NOT NULL,
  day_started_at INTEGER NOT NULL,
  day_used INTEGER NOT NULL,
  abused_minutes INTEGER NOT NULL,
  abused_started_at INTEGER NOT NULL,
  bans INTEGER NOT NULL,
  banned_at INTEGER NOT NULL,
  banned_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Written by an operator's command, taken away by the server, which alone writes the counters.
CREATE TABLE pardons (
  budget_id TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
