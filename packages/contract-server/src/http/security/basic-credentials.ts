/** The credentials of the HTTP authentication scheme Basic. */
export interface BasicCredentials {
  readonly username: string;
  readonly password: string;
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
/** RFC 7617 forbids them. */
const controls = /[\x00-\x1F\x7F]/;

/** Decodes a name and a password in UTF-8 (RFC 7617). `undefined` if they are malformed. */
export function parseBasicCredentials(text: string): BasicCredentials | undefined {
  if (!base64.test(text)) return undefined;
  const decoded = decodeUtf8(Buffer.from(text, 'base64'));
  if (decoded === undefined || controls.test(decoded)) return undefined;
  // A password can contain colons.
  const colon = decoded.indexOf(':');
  return colon < 0 ? undefined : { username: decoded.slice(0, colon), password: decoded.slice(colon + 1) };
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
