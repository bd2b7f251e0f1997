-- Text is compared byte by byte: in the order of its code points, whatever the language of the database, and without cost.
CREATE TABLE pets (
  id bigint PRIMARY KEY,
  name text COLLATE "C" NOT NULL,
  category_id bigint NOT NULL,
  status text COLLATE "C" NOT NULL
);

-- A listing by status is a scan of this index from the place where the page begins.
CREATE INDEX pets_by_status ON pets (status, id);

-- Up to 2^53 - 1 every reader of JSON is exact.
CREATE SEQUENCE pet_ids MAXVALUE 9007199254740991 OWNED BY pets.id;

-- One row per Idempotency-Key under which an animal was created, written in the animal's own statement. Times are Unix milliseconds.
CREATE TABLE idempotency_keys (
  budget_id text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  -- The SHA-256 of the request body.
  body_digest bytea NOT NULL,
  pet_id bigint NOT NULL,
  sent_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  PRIMARY KEY (budget_id, key)
);

-- What has expired is found here, however much has not.
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);

CREATE TABLE budgets (
  id text COLLATE "C" PRIMARY KEY,
  plan text COLLATE "C" NOT NULL,
  requests_per_minute bigint,
  requests_per_day bigint
);

CREATE TABLE api_keys (
  id text COLLATE "C" PRIMARY KEY,
  token_hash bytea NOT NULL UNIQUE,
  name text COLLATE "C" NOT NULL,
  budget_id text COLLATE "C" NOT NULL REFERENCES budgets (id),
  created_at bigint NOT NULL,
  expires_at bigint,
  revoked_at bigint,
  rotated_at bigint,
  last_used_at bigint,
  -- The order of insertion, which tells keys of the same millisecond apart.
  number bigint GENERATED ALWAYS AS IDENTITY
);
