-- Times are Unix milliseconds. COLLATE "C" compares text byte by byte, independent of the language of the database.

CREATE TABLE IF NOT EXISTS pets (
  id bigint PRIMARY KEY,
  name text COLLATE "C" NOT NULL,
  category_id bigint NOT NULL,
  status text COLLATE "C" NOT NULL,
  -- The transaction that created the pet; 0 if the pet is listed at once.
  created_in xid8 NOT NULL DEFAULT pg_current_xact_id()
);

-- A listing by status is a scan of this index from the first row of the page.
CREATE INDEX IF NOT EXISTS pets_by_status ON pets (status, id);

-- Every JSON parser reads integers up to 2^53 - 1 exactly.
CREATE SEQUENCE IF NOT EXISTS pet_ids MAXVALUE 9007199254740991 OWNED BY pets.id;

-- Reserves ids of pets for a transaction that has not written yet, and returns the id before the first one. Ids and
-- transaction ids are assigned in the same order, so that a page that ends before the pets of running transactions
-- misses none: a smaller id cannot appear later. The advisory lock ("PETI" in ASCII) is held only meanwhile: it belongs
-- to a subtransaction, which is rolled back; neither the sequence nor the transaction id is.
CREATE OR REPLACE FUNCTION reserve_pet_ids(count bigint) RETURNS bigint LANGUAGE plpgsql AS $$
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
CREATE TABLE IF NOT EXISTS idempotency_keys (
  quota_id text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  -- The SHA-256 of the request body.
  body_digest bytea NOT NULL,
  pet_id bigint NOT NULL,
  expires_at bigint NOT NULL,
  PRIMARY KEY (quota_id, key)
);

-- Finds expired rows without reading the others.
CREATE INDEX IF NOT EXISTS idempotency_keys_by_expiry ON idempotency_keys (expires_at);

-- The pets of imports that are not committed. Logged, so that a crash of the server loses no part of an import.
CREATE TABLE IF NOT EXISTS staged_pets (
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
CREATE OR REPLACE FUNCTION move_staged_pets(import uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE pets IN SHARE ROW EXCLUSIVE MODE;
  INSERT INTO pets (id, name, category_id, status, created_in)
  SELECT id, name, category_id, status, CASE WHEN id > last_value THEN pg_current_xact_id() ELSE coalesce(
    (SELECT created_in FROM pets AS before WHERE before.id < staged_pets.id ORDER BY before.id DESC LIMIT 1), '0') END
  FROM staged_pets, pet_ids WHERE import_id = import;
  PERFORM setval('pet_ids', greatest(nextval('pet_ids') - 1, (SELECT max(id) FROM pets)));
END
$$;
