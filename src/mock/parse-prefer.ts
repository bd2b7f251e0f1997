import { ApiError } from '../lib/errors.js';

const token = "[!#$%&'*+.^_`|~\\w-]+";
const quotedString = '"(?:[^"\\\\]|\\\\.)*"';
const pair = `(${token})(?:[ \\t]*=[ \\t]*(${token}|${quotedString}))?`;
/** One element of the list, which may be empty (RFC 9110, section 5.6.1): a preference with its parameters. */
const element = new RegExp(`(?:[ \\t]*${pair}(?:[ \\t]*;(?:[ \\t]*${pair})?)*)?[ \\t]*(?:,|$)`, 'gy');

/**
 * Parses a `Prefer` header (RFC 7240): the value of each preference by its name in lower case, '' if it has none. If a
 * preference occurs twice, the first counts. Parameters are ignored.
 *
 * @throws ApiError `invalid_request` if the header is not a list of preferences.
 */
export function parsePrefer(header = ''): ReadonlyMap<string, string> {
  const preferences = new Map<string, string>();
  let parsedLength = 0;
  for (const [text, name, value = ''] of header.matchAll(element)) {
    parsedLength += text.length;
    if (name === undefined || preferences.has(name.toLowerCase())) continue;
    preferences.set(name.toLowerCase(), value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value);
  }
  if (parsedLength < header.length) {
    throw new ApiError('invalid_request', '`Prefer` must be a list of preferences, such as code=404, wait=2.');
  }
  return preferences;
}
