-- Ids and transaction ids are assigned in the same order, so that a page that ends before the pets of running
-- transactions misses none: a smaller id cannot appear later. See reserve_pet_ids.

-- The transaction that created the pet. 0: listed at once, such as the pets that exist before this migration.
ALTER TABLE pets ADD COLUMN created_in xid8 NOT NULL DEFAULT '0';
ALTER TABLE pets ALTER COLUMN created_in SET DEFAULT pg_current_xact_id();

-- Assigns the id of the transaction and reserves ids of pets, and returns the id before the first one. Must be called
-- before the transaction writes anything.
--
-- The advisory lock ("PETI" in ASCII) is held only meanwhile: it belongs to a subtransaction, whose rollback releases
-- it, as any error does. Neither the sequence nor the id of the transaction is rolled back with it.
CREATE FUNCTION reserve_pet_ids(count bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  id_of_transaction xid8;
  last_id bigint;
BEGIN
  IF pg_current_xact_id_if_assigned() IS NOT NULL THEN
    RAISE EXCEPTION 'reserve_pet_ids must be called before the transaction writes';
  END IF;
  PERFORM pg_advisory_xact_lock(1346720841);
  id_of_transaction := pg_current_xact_id();
  last_id := setval('pet_ids', nextval('pet_ids') + count - 1);
  RAISE EXCEPTION SQLSTATE 'RB000';
EXCEPTION WHEN SQLSTATE 'RB000' THEN
  RETURN last_id - count;
END
$$;
