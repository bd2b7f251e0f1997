-- What sessions kept, so that a pooler may give each transaction of a client another session.

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

-- A commit is on disk before it is acknowledged. A stricter setting, such as waiting for a standby, is kept.
CREATE FUNCTION require_durable_commit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('synchronous_commit') = 'off' THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER durable_commit BEFORE INSERT OR UPDATE OR DELETE
  ON pets EXECUTE FUNCTION require_durable_commit();
CREATE TRIGGER durable_commit BEFORE INSERT OR UPDATE OR DELETE
  ON api_keys EXECUTE FUNCTION require_durable_commit();
CREATE TRIGGER durable_commit BEFORE INSERT OR UPDATE OR DELETE
  ON quotas EXECUTE FUNCTION require_durable_commit();
CREATE TRIGGER durable_commit BEFORE INSERT OR UPDATE OR DELETE
  ON staged_pets EXECUTE FUNCTION require_durable_commit();
