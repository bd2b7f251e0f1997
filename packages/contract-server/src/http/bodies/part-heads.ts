import { invalidBody } from '../../bodies/body-text.js';
import type { ApiError } from '../../lib/errors.js';

/** Maximum size of the headers of a part, in bytes: a name, a file name and a media type. */
export const headBytesMax = 8 * 1024;

/**
 * Checks the headers of each part of a multipart body. The parser drops a part whose name it cannot read, and cuts a
 * name at a line break, without an event.
 */
export class PartHeads {
  /** How many parts have begun. */
  count = 0;
  private readonly delimiter: Buffer;
  /** What may be the begin of a delimiter, or of headers. A body may begin with a delimiter. */
  private rest = Buffer.from('\r\n');
  private place: 'content' | 'head' | 'end' = 'content';

  constructor(boundary: string) {
    this.delimiter = Buffer.from(`\r\n--${boundary}`);
  }

  /** @throws ApiError `invalid_request` for a part without the headers that RFC 7578, section 4.2, requires. */
  push(chunk: Buffer): void {
    this.rest = Buffer.concat([this.rest, chunk]);
    while (this.place === 'content' ? this.skipContent() : this.readHead());
  }

  /** Returns whether the headers of a part begin in what was received. */
  private skipContent(): boolean {
    const at = this.rest.indexOf(this.delimiter);
    this.rest = this.rest.subarray(at < 0 ? 1 - this.delimiter.length : at + this.delimiter.length);
    if (at >= 0) this.place = 'head';
    return at >= 0;
  }

  /** Returns whether the headers are complete. */
  private readHead(): boolean {
    if (this.place === 'end' || this.rest.subarray(0, 2).equals(endMark)) {
      this.place = 'end';
      this.rest = Buffer.alloc(0);
      return false;
    }
    const end = this.rest.indexOf('\r\n\r\n');
    if ((end < 0 ? this.rest.length : end) > headBytesMax)
      throw malformedHead(`its headers exceed ${String(headBytesMax)} bytes`);
    if (end < 0) return false;
    requireName(this.rest.toString('latin1', 0, end));
    this.count += 1;
    // The delimiter of an empty part may begin with the second line break.
    this.rest = this.rest.subarray(end + 2);
    this.place = 'content';
    return true;
  }
}

/** It follows the last boundary. */
const endMark = Buffer.from('--');
const headerLine = /^[\w!#$%&'*+.^`|~-]+:[^\r\n]*$/;
const disposition = /^content-disposition:[ \t]*form-data[ \t]*;/i;
const quotedText = /"(?:[^"\\]|\\.)*"/g;

/** @param head the headers, after the end of the line of the boundary. @throws ApiError */
function requireName(head: string): void {
  const [, ...lines] = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n');
  const [found, ...others] = lines.filter((line) => /^content-disposition:/i.test(line));
  const parameters = (found ?? '').replace(quotedText, '');
  if (found === undefined || !disposition.test(found) || !/;[ \t]*name[ \t]*=/i.test(parameters))
    throw malformedHead('it has no Content-Disposition: form-data; name="…"');
  if (others.length > 0 || parameters.includes('"') || !lines.every((line) => headerLine.test(line)))
    throw malformedHead('its headers are malformed, such as by a line break in a name');
}

function malformedHead(reason: string): ApiError {
  return invalidBody(`has a part that cannot be read: ${reason}.`);
}
