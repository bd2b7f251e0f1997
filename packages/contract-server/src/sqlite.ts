export { GroupCommit, type WriteMetrics } from './database/group-commit.js';
export type { SqliteDatabase } from './database/sqlite/database.js';
