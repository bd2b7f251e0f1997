import { PostgresProxy } from './postgres-proxy.js';

/** Fails if the session has state that a pooler in transaction mode would give to another client. */
const requireClean = `
  DO $$
  DECLARE found text;
  BEGIN
    SELECT string_agg(state, ', ') INTO found FROM (
      SELECT 'setting ' || name AS state FROM pg_settings WHERE source = 'session'
      UNION ALL SELECT 'advisory lock' FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory'
      UNION ALL SELECT 'temporary table ' || relname FROM pg_class
        WHERE relnamespace = pg_my_temp_schema() AND relkind = 'r'
      UNION ALL SELECT 'prepared statement ' || name FROM pg_prepared_statements WHERE from_sql
      UNION ALL SELECT 'cursor ' || name FROM pg_cursors WHERE is_holdable
      UNION ALL SELECT 'channel ' || channel FROM pg_listening_channels() AS channel
      UNION ALL SELECT 'role ' || current_user WHERE current_user <> session_user
      UNION ALL SELECT 'open transaction' WHERE now() <> statement_timestamp()
    ) AS states;
    IF found IS NOT NULL THEN RAISE EXCEPTION 'left in the session: %', found; END IF;
  END
  $$`;

/** Leads to a server, and detects state that statements leave in their sessions. */
export class SessionObserver {
  private constructor(private readonly proxy: PostgresProxy) {}

  static async before(port: number): Promise<SessionObserver> {
    return new SessionObserver(await PostgresProxy.before(port));
  }

  urlOf(url: string): string {
    return this.proxy.urlOf(url);
  }

  /** @returns the number of open sessions. @throws Error if one of them has state. */
  async requireClean(): Promise<number> {
    return this.proxy.runInSessions(requireClean);
  }

  close(): void {
    this.proxy.close();
  }
}
