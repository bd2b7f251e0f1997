/** Parsers of settings. Each throws an Error whose message completes "it …" if the text is invalid. */
import { isIP } from 'node:net';

/** Returns the name that equals the text. */
export function requireOneOf<const Name extends string>(names: readonly Name[], text: string): Name {
  if (!names.includes(text as Name)) throw new Error(`must be one of: ${names.join(', ')}`);
  return text as Name;
}

/** Accepts a plain decimal number, without signs and leading zeros. */
export function integer(minimum: number, maximum: number) {
  return (text: string): number => {
    const value = Number(text);
    if (!/^(0|[1-9][0-9]*)$/.test(text) || value < minimum || value > maximum)
      throw new Error(`must be an integer from ${String(minimum)} to ${String(maximum)}`);
    return value;
  };
}

export function parseHost(text: string): string {
  if (isIP(text) === 0 && text !== 'localhost') throw new Error('must be an IP address, or localhost');
  return text;
}

export function parseBaseUrl(text: string, basePath: string): string {
  if (!isBaseUrl(text, basePath))
    throw new Error(`must be an http or https URL${basePath && ` that ends in ${basePath}`}`);
  // Without a path, `href` ends in a slash.
  return new URL(text).href.replace(/\/$/, '');
}

/**
 * Rejects a query, a fragment and user information, because paths are appended to the URL, and clients receive it; and
 * white space, which a parser of URLs removes.
 */
export function isBaseUrl(text: string, basePath = ''): boolean {
  if (/[\s\p{Cc}]/u.test(text)) return false;
  const { protocol, origin, pathname, href } = new URL(URL.canParse(text) ? text : 'invalid:');
  return /^https?:$/.test(protocol) && href === origin + pathname && pathname.endsWith(basePath);
}

/** Parses origins as browsers send them (RFC 6454, section 6.2). `*` is not supported. */
export function parseOrigins(text: string): readonly string[] {
  const origins = text === '' ? [] : text.split(',').map((origin) => origin.trim());
  const isOrigin = (each: string) => /^https?:/.test(each) && URL.canParse(each) && new URL(each).origin === each;
  if (!origins.every(isOrigin)) throw new Error('must be origins, https://shop.example, separated by commas');
  return origins;
}

/** Rejects networks that contain every address: their clients could choose their address and evade the rate limits. */
export function parseTrustProxy(text: string): number | readonly string[] {
  if (/^[1-9][0-9]?$/.test(text)) return Number(text);
  const networks = text.split(',').map((network) => network.trim());
  if (!networks.every(isNetwork))
    throw new Error('must be a number of proxies from 1 to 99, or IP addresses and networks like 10.0.0.0/8');
  return networks;
}

function isNetwork(text: string): boolean {
  const [, address = text, prefix = '1'] = /^(.+)\/([1-9][0-9]{0,2})$/.exec(text) ?? [];
  return isIP(address) !== 0 && Number(prefix) <= (isIP(address) === 4 ? 32 : 128);
}
