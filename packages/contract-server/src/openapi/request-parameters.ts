import { parse as parseCookie } from 'cookie';
import type { Request } from 'openapi-backend';
import { type ContractDocument, keyNamesIn } from './document.js';
import { type OperationEntry, type ParameterPlace, parametersIn } from './operations.js';
import { type Decoders, decodersOf } from './parameter-styles.js';
import { compileQueryParser, type QueryParser } from './query-parser.js';

/** How the parameters of an operation are read from a request. */
export interface CompiledParameters {
  /** In lower case. */
  readonly headerNames: readonly string[];
  readonly cookieNames: readonly string[];
  readonly parseQuery: QueryParser;
  /** Of parameters whose text is more than one value. */
  readonly decoders: Readonly<Record<'path' | 'header' | 'cookie', Decoders>>;
}

export function compileParameters(document: ContractDocument, entry: OperationEntry): CompiledParameters {
  const parameters = (place: ParameterPlace) => parametersIn(place, document, entry);
  const decoders = (place: ParameterPlace, decode: (text: string) => string) =>
    decodersOf(document, parameters(place), decode);
  return {
    headerNames: parameters('header').map(({ name }) => name),
    cookieNames: parameters('cookie').map(({ name }) => name),
    parseQuery: compileQueryParser(document, parameters('query'), keyNamesIn('query', document)),
    decoders: {
      path: decoders('path', decodeURIComponent),
      header: decoders('header', (text) => text.trim()),
      cookie: decoders('cookie', decodeCookie),
    },
  };
}

/** The headers that an operation declares, and so no credentials. */
export function pickHeaders(headers: Request['headers'], { headerNames, decoders }: CompiledParameters): object {
  const picked: Record<string, unknown> = {};
  for (const name of headerNames) if (headers[name] !== undefined) picked[name] = headers[name];
  for (const [name, decode] of decoders.header) if (name in picked) picked[name] = decode(String(picked[name]));
  return picked;
}

/** The cookies that an operation declares. */
export function pickCookies({ cookie }: Request['headers'], { cookieNames, decoders }: CompiledParameters): object {
  if (cookieNames.length === 0) return noCookies;
  const sent = parseCookie(String(cookie ?? ''), { decode: (text) => text });
  const picked: Record<string, unknown> = {};
  for (const name of cookieNames) if (sent[name] !== undefined) picked[name] = decodeCookie(sent[name]);
  for (const [name, decode] of decoders.cookie) if (name in picked) picked[name] = decode(sent[name] as string);
  return picked;
}

/** A cookie is percent-encoded by convention only: one with an invalid escape is taken as it was sent. */
function decodeCookie(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const noCookies: object = Object.freeze({});
