export { createBatchLoader } from './database/batch-loader.js';
export { GroupCommit, type WriteMetrics } from './database/group-commit.js';
export type { PostgresDatabase, Statement } from './database/postgres/database.js';
