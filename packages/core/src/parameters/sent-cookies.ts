/**
 * The values of a cookie as sent, in the header `Cookie`: a client can send a name several times (RFC 6265, section
 * 5.4), of which parsers take the first or the last.
 */
export function sentCookies(header: string, name: string): string[] {
  return header.split(';').flatMap((pair) => {
    const equals = pair.indexOf('=');
    return equals >= 0 && pair.slice(0, equals).trim() === name ? [pair.slice(equals + 1).trim()] : [];
  });
}
