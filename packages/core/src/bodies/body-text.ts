import { isUtf8 } from 'node:buffer';
import { ApiError } from '../lib/errors.js';
import { invalidMember } from '../schema/invalid-member.js';

/** Text of a body or of one of its fields. @throws ApiError `invalid_request` for bytes that are not UTF-8. */
export function textOf(bytes: Uint8Array, name?: string): string {
  if (!isUtf8(bytes)) throw invalidBody('is not valid UTF-8.', name);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

/** 400 for a body, or one of its fields, that cannot be read. @param problem completes "The body …". */
export function invalidBody(problem: string, name?: string): ApiError {
  if (name !== undefined) return invalidMember('body', name, problem);
  const message = `The body ${problem}`;
  return new ApiError('invalid_request', message, { violations: [{ in: 'body', pointer: '', message }] });
}
