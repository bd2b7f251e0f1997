import Database from 'better-sqlite3';

// Holds the write lock of a database file until it receives a message, as a backup program might.
const [file = ''] = process.argv.slice(2);
const db = new Database(file, { fileMustExist: true });
db.exec('BEGIN EXCLUSIVE');
process.once('message', () => {
  db.exec('ROLLBACK');
  db.close();
  process.disconnect();
});
process.send?.('held');
