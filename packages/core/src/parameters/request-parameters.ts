import { parse as parseCookie } from 'cookie';
import { type Contract, keyNamesIn, type Operation } from '../contract/contract.js';
import { setMember } from '../json/object-members.js';
import { invalidMember } from '../schema/invalid-member.js';
import { compileQueryParser, type QueryParser } from './query-parser.js';
import { sentCookies } from './sent-cookies.js';
import { type Decoders, decodersOf } from './styles/styles.js';

/** How the parameters of an operation are read from a request. */
export interface CompiledParameters {
  /** In lower case. */
  readonly headerNames: readonly string[];
  readonly parseQuery: QueryParser;
  /** `undefined` without cookies, and without parameters outside the query whose text is more than one value. */
  readonly styled: StyledParameters | undefined;
}

interface StyledParameters {
  readonly cookieNames: readonly string[];
  /** Of parameters whose text is more than one value. */
  readonly decoders: Readonly<Record<'path' | 'header' | 'cookie', Decoders>>;
}

export function compileParameters(contract: Contract, { parameters }: Operation): CompiledParameters {
  const { schemas, deployment } = contract;
  const ignoresUnknown = deployment.unknownQueryParameters === 'ignore';
  const compiled = {
    path: decodersOf(schemas, parameters.path, decodeURIComponent),
    header: decodersOf(schemas, parameters.header, (text) => text.trim()),
    cookie: decodersOf(schemas, parameters.cookie, decodeCookie),
  };
  const cookieNames = parameters.cookie.map(({ name }) => name);
  const isStyled = cookieNames.length + compiled.path.length + compiled.header.length > 0;
  return {
    headerNames: parameters.header.map(({ name }) => name),
    parseQuery: compileQueryParser(schemas, parameters.query, keyNamesIn('query', contract), ignoresUnknown),
    styled: isStyled ? { cookieNames, decoders: compiled } : undefined,
  };
}

/** The headers of a request, by their names in lower case. */
type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The headers that an operation declares, and so no credentials. */
export function pickHeaders(headers: RequestHeaders, names: readonly string[]): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const name of names) if (Object.hasOwn(headers, name)) picked[name] = headers[name];
  return picked;
}

/** Reads the cookies that an operation declares, and parameters whose text is more than one value, in place. */
export function readStyled(
  { cookieNames, decoders }: StyledParameters,
  parsed: Record<'params' | 'headers' | 'cookies', unknown>,
  params: Readonly<Record<string, string>>,
  { cookie = '' }: RequestHeaders,
): void {
  const headers = parsed.headers as Record<string, unknown>;
  decodeAll(parsed.params as Record<string, unknown>, params, decoders.path);
  decodeAll(headers, { ...headers }, decoders.header);
  if (cookieNames.length === 0) return;
  const sent = parseCookie(String(cookie), { decode: (text) => text });
  const cookies: Record<string, unknown> = {};
  for (const name of cookieNames) {
    if (sent[name] === undefined) continue;
    if (sentCookies(String(cookie), name).length > 1) throw invalidMember('cookie', name, 'must be sent only once.');
    setMember(cookies, name, decodeCookie(sent[name]));
  }
  decodeAll(cookies, sent, decoders.cookie);
  parsed.cookies = cookies;
}

function decodeAll(values: Record<string, unknown>, sent: Readonly<Record<string, unknown>>, decoders: Decoders): void {
  for (const [name, decode] of decoders) if (Object.hasOwn(values, name)) values[name] = decode(String(sent[name]));
}

/** A cookie is percent-encoded by convention only: one with an invalid escape is taken as it was sent. */
function decodeCookie(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
