import { crc32 } from 'node:zlib';
import { invalidCursor } from 'contract-server';
import type { PetStatus } from './pet-store.js';

/** An opaque cursor for the next page. It is bound to the filter, and a checksum detects changes. It is not secret. */
export function writeCursor(afterId: number, status: PetStatus | undefined): string {
  const content = `${String(afterId)}.${status ?? ''}`;
  return Buffer.from(`${content}.${crc32(content).toString(36)}`).toString('base64url');
}

/** The id after which the page begins. @throws ApiError `invalid_cursor` if it was not issued for this filter. */
export function readCursor(cursor: string, status: PetStatus | undefined): number {
  const afterId = Number(Buffer.from(cursor, 'base64url').toString('latin1').split('.', 1)[0]);
  if (!Number.isSafeInteger(afterId) || afterId < 1 || writeCursor(afterId, status) !== cursor) throw invalidCursor();
  return afterId;
}
