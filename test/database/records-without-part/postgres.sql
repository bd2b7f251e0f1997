-- A database with `service_migrations`, which has no parts: its migrations, their records, and a pet, a key, its quota and
-- an idempotency key.
-- Times are Unix milliseconds. COLLATE "C" compares text byte by byte, independent of the language of the database.

CREATE TABLE pets (
  id bigint PRIMARY KEY,
  name text COLLATE "C" NOT NULL,
  category_id bigint NOT NULL,
  status text COLLATE "C" NOT NULL,
  -- The transaction that created the pet; 0 if the pet is listed at once.
  created_in xid8 NOT NULL DEFAULT pg_current_xact_id()
);

-- A listing by status is a scan of this index from the first row of the page.
CREATE INDEX pets_by_status ON pets (status, id);

-- Every JSON parser reads integers up to 2^53 - 1 exactly.
CREATE SEQUENCE pet_ids MAXVALUE 9007199254740991 OWNED BY pets.id;

-- Reserves ids of pets for a transaction that has not written yet, and returns the id before the first one. Ids and
-- transaction ids are assigned in the same order, so that a page that ends before the pets of running transactions
-- misses none: a smaller id cannot appear later. The advisory lock ("PETI" in ASCII) is held only meanwhile: it belongs
-- to a subtransaction, which is rolled back; neither the sequence nor the transaction id is.
CREATE FUNCTION reserve_pet_ids(count bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  last_id bigint;
BEGIN
  IF pg_current_xact_id_if_assigned() IS NOT NULL THEN
    RAISE EXCEPTION 'reserve_pet_ids must be called before the transaction writes';
  END IF;
  PERFORM pg_advisory_xact_lock(1346720841);
  PERFORM pg_current_xact_id();
  last_id := setval('pet_ids', nextval('pet_ids') + count - 1);
  RAISE EXCEPTION SQLSTATE 'RB000';
EXCEPTION WHEN SQLSTATE 'RB000' THEN
  RETURN last_id - count;
END
$$;

-- One row per Idempotency-Key under which a pet was created, written in the statement that creates the pet.
CREATE TABLE idempotency_keys (
  quota_id text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  -- The SHA-256 of the request body.
  body_digest bytea NOT NULL,
  pet_id bigint NOT NULL,
  expires_at bigint NOT NULL,
  PRIMARY KEY (quota_id, key)
);

-- Finds expired rows without reading the others.
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);

-- The pets of imports that are not committed. Logged, so that a crash of the server loses no part of an import.
CREATE TABLE staged_pets (
  import_id uuid NOT NULL,
  ordinal bigint NOT NULL,
  id bigint,
  name text NOT NULL,
  category_id bigint NOT NULL,
  status text NOT NULL,
  staged_at timestamptz NOT NULL DEFAULT now()
);

-- Moves the pets of an import, with their ids. The lock waits for creations that have reserved ids; others wait for it,
-- and get greater ids. The sequence, which is not transactional, is advanced last. A pet between others gets the
-- transaction id of its predecessor, so that transaction ids keep the order of the ids.
CREATE FUNCTION move_staged_pets(import uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE pets IN SHARE ROW EXCLUSIVE MODE;
  INSERT INTO pets (id, name, category_id, status, created_in)
  SELECT id, name, category_id, status, CASE WHEN id > last_value THEN pg_current_xact_id() ELSE coalesce(
    (SELECT created_in FROM pets AS before WHERE before.id < staged_pets.id ORDER BY before.id DESC LIMIT 1), '0') END
  FROM staged_pets, pet_ids WHERE import_id = import;
  PERFORM setval('pet_ids', greatest(nextval('pet_ids') - 1, (SELECT max(id) FROM pets)));
END
$$;

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

-- Moves the pets of an import, with their ids, in the transaction of the statement. It holds up no creation: it reserves
-- the ids up to the greatest one as a creation does, so that creations after it get greater ids.
--
-- A pet between others gets the transaction id of its predecessor, so that transaction ids keep the order of the ids.
-- The predecessor must be visible, so the function waits until no earlier transaction inserts pets. It recognizes these
-- by their locks on the table, which conflict with no other. `lock_timeout` limits the wait.
CREATE OR REPLACE FUNCTION move_staged_pets(import uuid) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  first_id bigint;
  last_id bigint;
  last_id_before bigint;
  timeout interval := current_setting('lock_timeout');
  started_at timestamptz;
BEGIN
  -- Before the transaction id is assigned, so that a later import waits for this one.
  LOCK TABLE pets IN ROW EXCLUSIVE MODE;
  SELECT min(id), max(id) INTO first_id, last_id FROM staged_pets WHERE import_id = import;
  SELECT reserve_pet_ids(greatest(0, last_id - CASE WHEN is_called THEN last_value ELSE 0 END))
    INTO last_id_before FROM pet_ids;

  started_at := clock_timestamp();
  WHILE first_id <= last_id_before AND EXISTS (
    SELECT FROM pg_locks AS pets_lock JOIN pg_locks AS own_lock USING (virtualtransaction)
    WHERE pets_lock.relation = 'pets'::regclass AND pets_lock.mode = 'RowExclusiveLock' AND pets_lock.granted
      AND pets_lock.database = (SELECT oid FROM pg_database WHERE datname = current_database())
      -- Every transaction holds this lock on its id. The age is relative to the id of this transaction.
      AND own_lock.locktype = 'transactionid' AND own_lock.mode = 'ExclusiveLock' AND age(own_lock.transactionid) > 0
  ) LOOP
    IF timeout > interval '0' AND clock_timestamp() > started_at + timeout THEN
      RAISE lock_not_available USING MESSAGE = 'other transactions have been inserting pets for ' || timeout;
    END IF;
    PERFORM pg_sleep(0.005);
  END LOOP;

  INSERT INTO pets (id, name, category_id, status, created_in)
  SELECT id, name, category_id, status, CASE WHEN id > last_id_before THEN pg_current_xact_id() ELSE coalesce(
    (SELECT created_in FROM pets AS before WHERE before.id < staged_pets.id ORDER BY before.id DESC LIMIT 1), '0') END
  FROM staged_pets WHERE import_id = import;
END
$$;

CREATE TABLE service_migrations (version integer PRIMARY KEY, name text NOT NULL, compatible_from integer NOT NULL);
INSERT INTO service_migrations VALUES (1, 'pets-and-keys', 1);
INSERT INTO service_migrations VALUES (2, 'import-beside-creations', 1);
SELECT setval('pet_ids', 7);
INSERT INTO pets (id, name, category_id, status) VALUES (7, 'Rex', 9223372036854775807, 'sold');
INSERT INTO quotas VALUES ('quota_rex', 'pro', NULL, NULL);
INSERT INTO api_keys (id, token_hash, name, quota_id, created_at) VALUES ('key_rex', '\x00', 'Rex', 'quota_rex', 1);
