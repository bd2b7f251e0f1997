import { invalidBody } from '@contract-server/core/bodies/body-text.js';
import type { ApiError } from '@contract-server/core/lib/errors.js';

/** Maximum size of the headers of a part, in bytes: a name, a file name and a media type. */
export const headBytesMax = 8 * 1024;

/**
 * Checks the headers of each part of a multipart body. The parser drops a part whose headers are incomplete, or whose
 * name it cannot read, and cuts a name at a line break, without an event.
 */
export class PartHeads {
  /** How many parts have begun. */
  count = 0;
  private readonly delimiter: Buffer;
  /** What may be the begin of a delimiter, or of headers. A body may begin with a delimiter. */
  private rest = Buffer.from('\r\n');
  /** How many of its bytes the parser has, unless they are headers. */
  private passed = this.rest.length;
  private place: 'content' | 'head' | 'end' = 'content';

  constructor(boundary: string) {
    this.delimiter = Buffer.from(`\r\n--${boundary}`);
  }

  /**
   * Returns what the parser reads: only complete headers, without the padding that may be in the line of a boundary
   * (RFC 2046, section 5.1.1), and nothing after the last boundary.
   *
   * @throws ApiError `invalid_request` for a part without the headers that RFC 7578, section 4.2, requires.
   */
  push(chunk: Buffer): Buffer {
    this.rest = Buffer.concat([this.rest, chunk]);
    const read: Buffer[] = [];
    while (this.place === 'content' ? this.skipContent(read) : this.readHead(read));
    return Buffer.concat(read);
  }

  /** Returns whether the headers of a part begin in what was received. */
  private skipContent(read: Buffer[]): boolean {
    const at = this.rest.indexOf(this.delimiter);
    const { length } = this.delimiter;
    const end = at < 0 ? this.rest.length : at + length;
    read.push(this.rest.subarray(this.passed, end));
    this.rest = this.rest.subarray(at < 0 ? 1 - length : end);
    this.passed = this.rest.length;
    if (at >= 0) this.place = 'head';
    return at >= 0;
  }

  /** Returns whether the headers are complete. */
  private readHead(read: Buffer[]): boolean {
    if (this.place === 'end' || this.rest.subarray(0, 2).equals(endMark)) {
      if (this.place === 'head') read.push(endMark);
      this.place = 'end';
      this.rest = Buffer.alloc(0);
      return false;
    }
    const end = this.rest.indexOf('\r\n\r\n');
    const length = end < 0 ? this.rest.length : end;
    if (length > headBytesMax) throw malformedHead(`its headers exceed ${String(headBytesMax)} bytes`);
    if (this.rest.subarray(0, length + 2).includes(this.delimiter)) throw malformedHead('its headers are incomplete');
    if (end < 0) return false;
    const [padding = '', ...lines] = this.rest.toString('latin1', 0, end).split('\r\n');
    if (!/^[ \t]*$/.test(padding)) throw malformedHead('text follows its boundary');
    requireName(lines.join('\r\n'));
    this.count += 1;
    read.push(this.rest.subarray(padding.length, end + 4));
    // The delimiter of an empty part may begin with the second line break.
    this.rest = this.rest.subarray(end + 2);
    this.passed = 2;
    this.place = 'content';
    return true;
  }
}

/** It follows the last boundary. */
const endMark = Buffer.from('--');
const headerLine = /^[\w!#$%&'*+.^`|~-]+:[^\r\n]*$/;
const disposition = /^content-disposition:[ \t]*form-data[ \t]*;/i;
const quotedText = /"(?:[^"\\]|\\.)*"/g;

/** @throws ApiError */
function requireName(head: string): void {
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n');
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
