-- An import with ids holds up no creation. These functions replace move_staged_pets, which earlier releases call.

-- Reserves the ids up to the greatest one of an import, as reserve_pet_ids does, so that creations after it get greater
-- ids. Returns the id before the first one: smaller ids of the import are between those of other pets, and the function
-- then waits until no earlier transaction inserts pets. It recognizes these by their locks on the table, which conflict
-- with no creation; the statement that calls it has the same lock. `lock_timeout` limits the wait.
CREATE FUNCTION reserve_imported_pet_ids(import uuid) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  first_id bigint;
  last_id bigint;
  last_id_before bigint;
  timeout interval := current_setting('lock_timeout');
  started_at timestamptz;
BEGIN
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
  RETURN last_id_before;
END
$$;

-- The transaction that created the pet before an id; 0 if there is none. It sees pets that were committed after the
-- statement that calls it has begun.
CREATE FUNCTION transaction_before_pet(pet_id bigint) RETURNS xid8 VOLATILE LANGUAGE plpgsql AS $$
BEGIN
  RETURN coalesce((SELECT created_in FROM pets WHERE id < pet_id ORDER BY id DESC LIMIT 1), '0');
END
$$;
