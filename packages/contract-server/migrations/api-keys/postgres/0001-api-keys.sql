-- Times are Unix milliseconds. COLLATE "C" compares text byte by byte, independent of the language of the database.

CREATE TABLE IF NOT EXISTS quotas (
  id text COLLATE "C" PRIMARY KEY,
  plan text COLLATE "C" NOT NULL,
  requests_per_minute bigint,
  requests_per_day bigint
);

CREATE TABLE IF NOT EXISTS api_keys (
  id text COLLATE "C" PRIMARY KEY,
  token_hash bytea NOT NULL UNIQUE,
  name text COLLATE "C" NOT NULL,
  quota_id text COLLATE "C" NOT NULL REFERENCES quotas (id),
  created_at bigint NOT NULL,
  expires_at bigint,
  revoked_at bigint,
  rotated_at bigint,
  last_used_at bigint,
  -- The order of insertion, for keys of the same millisecond.
  number bigint GENERATED ALWAYS AS IDENTITY
);
