import type { Parameter } from '../contract/parameters.js';
import type { Schema, Schemas } from '../contract/schemas.js';
import { setMember } from '../json/object-members.js';
import { invalidMember } from '../schema/invalid-member.js';
import { findTextParser } from '../schema/parse-text.js';
import { append, decodeForm, nameIn, parseQuery, splitQuery } from './parse-query.js';
import type { Decode, Spread } from './styles/style.js';
import { decodersOf, styleOf } from './styles/styles.js';

/** Parses a query to the values of its parameters, which are not converted to their types. */
export type QueryParser = (text: string) => Record<string, unknown>;

/**
 * Compiles the parser of the query of an operation. Parameters are parsed by their style (OpenAPI 3.0.4, section
 * 4.7.12.3); an unknown one stays, so that validation rejects it.
 *
 * The parser throws ApiError `invalid_request` for too many parameters, for content that is not JSON, and for an object
 * that is nested too deeply; and URIError for an invalid percent escape.
 *
 * @param credentials the names of API keys in the query, which the parser omits unless they are parameters too.
 * @param ignoresUnknown whether it omits parameters that are not declared, too.
 */
export function compileQueryParser(
  schemas: Schemas,
  parameters: readonly Parameter[],
  credentials: readonly string[],
  ignoresUnknown = false,
): QueryParser {
  const names = new Set(parameters.map(({ name }) => name));
  const omitted = credentials.filter((name) => !names.has(name));
  const styles = new QueryStyles(schemas, parameters, new Set(omitted));
  if (ignoresUnknown) return (text) => pick(styles.parse(text), names);
  if (!styles.isPlain) return (text) => styles.parse(text);
  if (omitted.length === 0) return parseQuery;
  return (text) => {
    const query = parseQuery(text);
    for (const name of omitted) Reflect.deleteProperty(query, name);
    return query;
  };
}

function pick(query: Record<string, unknown>, names: ReadonlySet<string>): Record<string, unknown> {
  for (const name of Object.keys(query)) if (!names.has(name)) Reflect.deleteProperty(query, name);
  return query;
}

/** The parameters of an operation, some of which are not sent as `name=value` with one value. */
class QueryStyles {
  private readonly names: ReadonlySet<string>;
  private readonly decoders: ReadonlyMap<string, Decode<unknown>>;
  /** The names of those that are JSON. */
  private readonly contents: ReadonlySet<string>;
  /** Those that are sent under other names. */
  private readonly spreads: readonly NamedSpread[];
  /** The names of the parameters for which an empty value means that they are omitted. */
  private readonly omittedIfEmpty: ReadonlySet<string>;

  /** @param credentials the names of API keys, which no object has as fields. */
  constructor(
    schemas: Schemas,
    parameters: readonly Parameter[],
    private readonly credentials: ReadonlySet<string>,
  ) {
    const namesOf = (isWanted: (parameter: Parameter) => boolean) =>
      parameters.filter(isWanted).map(({ name }) => name);
    this.names = new Set(namesOf(() => true));
    this.decoders = new Map(decodersOf(schemas, parameters, decodeForm));
    this.contents = new Set(namesOf(({ isJson }) => isJson));
    this.omittedIfEmpty = new Set(
      namesOf(({ declaration, schema }) => declaration.allowEmptyValue === true && !isText(schemas, schema)),
    );
    const spreads = parameters.flatMap((parameter) => {
      const spread = styleOf(parameter).spread?.(schemas, parameter);
      return spread === undefined ? [] : [{ name: parameter.name, ...spread }];
    });
    // `filter[a]` is a part of `filter`, also where another object can have any field.
    this.spreads = spreads.sort((one, other) => Number(one.names !== undefined) - Number(other.names !== undefined));
  }

  get isPlain(): boolean {
    return this.decoders.size + this.omittedIfEmpty.size + this.spreads.length === 0;
  }

  parse(text: string): Record<string, unknown> {
    const query: Record<string, unknown> = {};
    const readers = this.spreads.map((spread) => ({ spread, ...spread.read(query) }));
    for (const pair of splitQuery(text)) {
      const equals = pair.indexOf('=');
      const name = nameIn(pair, equals);
      const value = equals < 0 ? '' : pair.slice(equals + 1);
      if (this.isOmitted(name, value)) continue;
      const reader = readers.find(({ spread }) => this.isPart(name, spread));
      if (reader === undefined) this.add(query, name, value);
      else reader.add(name, value);
    }
    for (const { finish } of readers) finish?.();
    return query;
  }

  private isOmitted(name: string, value: string): boolean {
    return this.credentials.has(name) || (value === '' && this.omittedIfEmpty.has(name));
  }

  private isPart(name: string, spread: NamedSpread): boolean {
    return (spread.name === name || !this.names.has(name)) && spread.accepts(name);
  }

  private add(query: Record<string, unknown>, name: string, value: string): void {
    const decode = this.decoders.get(name);
    if (decode === undefined) append(query, name, decodeForm(value));
    else if (!this.contents.has(name)) for (const each of [decode(value)].flat()) append(query, name, each);
    else if (Object.hasOwn(query, name)) throw invalidMember('query', name, 'must be sent only once.');
    else setMember(query, name, decode(value));
  }
}

/** A parameter that is sent under other names than its own. */
type NamedSpread = Spread & { readonly name: string };

function isText(schemas: Schemas, schema: Schema): boolean {
  return !schemas.allowsMembers(schema) && findTextParser(schemas, schema) === undefined;
}
