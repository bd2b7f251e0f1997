/**
 * Parsers of settings. Each throws an Error whose message completes "<setting> …" if the text is invalid.
 */
import { isIP } from 'node:net';

/** Returns the name that equals the text. */
export function requireOneOf<const Name extends string>(names: readonly Name[], text: string): Name {
  const name = names.find((allowed) => allowed === text);
  if (name === undefined) throw new Error(`must be one of: ${names.join(', ')}.`);
  return name;
}

export function parseCount(text: string): number {
  if (!/^[1-9][0-9]{0,6}$/.test(text)) throw new Error('must be an integer from 1 to 9999999.');
  return Number(text);
}

export function parseHost(text: string): string {
  if (isIP(text) === 0 && text !== 'localhost') throw new Error('must be an IP address, or localhost.');
  return text;
}

export function parsePort(text: string): number {
  const port = Number(text);
  if (!/^[0-9]{1,5}$/.test(text) || port > 65535) throw new Error('must be a TCP port from 0 to 65535.');
  return port;
}

export function parseDatabaseUrl(text: string): string {
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text))
    throw new Error('must be a URL like postgres://user:password@host:5432/database.');
  return text;
}

/** Parses origins as browsers send them (RFC 6454, section 6.2). `*` is not supported. */
export function parseOrigins(text: string): readonly string[] {
  const origins = text === '' ? [] : text.split(',').map((origin) => origin.trim());
  const isOrigin = (origin: string) =>
    /^https?:/.test(origin) && URL.canParse(origin) && new URL(origin).origin === origin;
  if (!origins.every(isOrigin)) throw new Error('must be origins, https://shop.example, separated by commas.');
  return origins;
}

/** Rejects networks that contain every address: their clients could choose their address and evade the rate limits. */
export function parseTrustProxy(text: string): number | readonly string[] {
  if (/^[1-9][0-9]?$/.test(text)) return Number(text);
  const networks = text.split(',').map((network) => network.trim());
  if (!networks.every(isNetwork))
    throw new Error('must be a number of proxies from 1 to 99, or IP addresses and networks like 10.0.0.0/8.');
  return networks;
}

function isNetwork(text: string): boolean {
  const [, address = text, prefix = '1'] = /^(.+)\/([1-9][0-9]{0,2})$/.exec(text) ?? [];
  return isIP(address) !== 0 && Number(prefix) <= (isIP(address) === 4 ? 32 : 128);
}
