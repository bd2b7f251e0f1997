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
