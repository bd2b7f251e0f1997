import { openTestDatabase } from './database.js';

// Opens the database of a directory on a message, so that several processes begin at the same moment, and sends
// the version of the schema or the error.
const [directory = ''] = process.argv.slice(2);
process.once('message', () => {
  process.send?.(open());
  process.disconnect();
});
process.send?.('ready');

function open(): string {
  try {
    const db = openTestDatabase(directory);
    const version = String(db.pragma('user_version', { simple: true }));
    db.close();
    return `version ${version}`;
  } catch (error) {
    return String(error);
  }
}
