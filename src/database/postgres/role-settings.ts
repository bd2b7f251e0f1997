import type { Repair } from './migrate.js';

/**
 * Settings of the role in this database, which apply to every new session. They are not set in sessions, because a
 * pooler may give each transaction another one.
 */
const settings = {
  // A statement of a server is cancelled, and writes nothing, before its client stops waiting.
  statement_timeout: '1200ms',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '10s',
  default_transaction_isolation: 'read committed',
  // Each plan is made once, perhaps while the tables are empty. Every query can use an index that has the order that it
  // needs.
  plan_cache_mode: 'force_generic_plan',
  jit: 'off',
  enable_seqscan: 'off',
  enable_sort: 'off',
};

const rows = Object.entries(settings).map(([name, value]) => `('${name}', '${value}')`);

export const roleSettings: Repair = {
  isNeeded: `SELECT bool_or(current_setting(name) <> value) FROM (VALUES ${rows.join(', ')}) AS setting (name, value)`,
  sql: `
    DO $$
    DECLARE setting record;
    BEGIN
      FOR setting IN VALUES ${rows.join(', ')} LOOP
        EXECUTE format('ALTER ROLE %I IN DATABASE %I SET %I = %L',
          session_user, current_database(), setting.column1, setting.column2);
      END LOOP;
    END
    $$`,
};
