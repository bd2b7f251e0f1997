import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { statOf } from './placed-file.js';

/** Marks a file as ours in its header: "PETS" in ASCII. */
export const applicationId = 0x50455453;

/** The header of a database file (sqlite.org/fileformat.html, section 1.3): how long it is, and where its fields lie. */
const headerBytes = 100;
const magic = 'SQLite format 3\0';
const pageSizeAt = 16;
const pageCountAt = 28;
const versionAt = 60;
const applicationIdAt = 68;

/**
 * Looks at a file without opening it as a database, which may only be done once another one was let go.
 *
 * @throws if it cannot be read.
 * @returns why it cannot be a database of ours, or `undefined` if it looks like one.
 */
export function faultOfHeader(path: string, newestVersion: number): string | undefined {
  const header = Buffer.alloc(headerBytes);
  const file = openSync(path, 'r');
  try {
    if (readSync(file, header, 0, headerBytes, 0) < headerBytes) return 'it is empty';
  } finally {
    closeSync(file);
  }
  if (!header.toString('latin1').startsWith(magic)) return 'it is no database';
  // What a log beside the file holds counts for more than the file: only SQLite can tell what both are together.
  if ((statOf(`${path}-wal`)?.size ?? 0n) > 0n) return undefined;
  if (header.readUInt32BE(applicationIdAt) !== applicationId) return 'it is the database of another program';
  if (header.readUInt32BE(versionAt) > newestVersion) return 'it was written by a newer release';
  // 1 stands for 65,536.
  const pageBytes = header.readUInt16BE(pageSizeAt) === 1 ? 65_536 : header.readUInt16BE(pageSizeAt);
  const bytes = pageBytes * header.readUInt32BE(pageCountAt);
  return statSync(path).size < bytes ? 'it is cut short, or still being copied' : undefined;
}
