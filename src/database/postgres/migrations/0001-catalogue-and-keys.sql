-- COLLATE "C" compares text byte by byte, independent of the language of the database, which is fastest.
CREATE TABLE pets (
  id bigint PRIMARY KEY,
  name text COLLATE "C" NOT NULL,
  category_id bigint NOT NULL,
  status text COLLATE "C" NOT NULL
);

-- A listing by status is a scan of this index from the first row of the page. ASC is the default of PostgreSQL;
-- YugabyteDB hashes the first column of an index without it.
CREATE INDEX pets_by_status ON pets (status ASC, id ASC);

-- Every JSON parser reads integers up to 2^53 - 1 exactly.
CREATE SEQUENCE pet_ids MAXVALUE 9007199254740991 OWNED BY pets.id;

-- One row per Idempotency-Key under which a pet was created, written in the statement that creates the pet. Times are
-- Unix milliseconds.
CREATE TABLE idempotency_keys (
  quota_id text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  -- The SHA-256 of the request body.
  body_digest bytea NOT NULL,
  pet_id bigint NOT NULL,
  sent_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  PRIMARY KEY (quota_id, key)
);

-- Finds expired rows without reading the others.
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at ASC);

CREATE TABLE quotas (
  id text COLLATE "C" PRIMARY KEY,
  plan text COLLATE "C" NOT NULL,
  requests_per_minute bigint,
  requests_per_day bigint
);

CREATE TABLE api_keys (
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
