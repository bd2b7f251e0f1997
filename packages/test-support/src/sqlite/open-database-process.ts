import { openTestDatabase } from './database.js';

// Opens the database of a directory on a message, so that several processes begin at the same moment, and sends
// the number of migrations that it applied, or the error.
const [directory = ''] = process.argv.slice(2);
process.once('message', () => {
  void openTestDatabase(directory)
    .then(
      (db) => db.migrations.filter(({ wasApplied }) => wasApplied).length,
      (error: unknown) => String(error),
    )
    .then((result) => {
      process.send?.(result);
      process.disconnect();
    });
});
process.send?.('ready');
