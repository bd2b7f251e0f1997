/** The files of a data directory. SQLite puts others beside them, whose names begin alike. */
export const fileNames = { petstore: 'petstore.db', limits: 'limits.db', serverLock: 'server.lock' } as const;
