import type { OpenAPIV3 } from 'openapi-types';
import { parse as parseNested } from 'qs';
import type { Schema, SchemaDocument } from '../contract/schema-document.js';
import { setMember } from '../json/object-members.js';
import { invalidMember } from '../schema/invalid-member.js';
import { memberRulesOf } from '../schema/member-rules.js';
import type { Members } from '../schema/members.js';
import { allowsType, findTextParser } from '../schema/parse-text.js';
import { type Decoder, decodersOf, hasOwnParameters, schemaOf, styleOf } from './parameter-styles.js';
import { append, decodeForm, nameIn, parseQuery, splitQuery } from './parse-query.js';

/** Parses a query to the values of its parameters, which are not converted to their types. */
export type QueryParser = (text: string) => Record<string, unknown>;

/** The maximum number of brackets in the name of a parameter, as in `filter[a][b]`. */
const depthMax = 5;
/** The maximum length of an array in an object. A query has as many parameters at most. */
const arrayMax = 100;

/**
 * Compiles the parser of the query of an operation. Parameters are parsed by their style (OpenAPI 3.0.4, section
 * 4.7.12.3); an unknown one stays, so that validation rejects it.
 *
 * The parser throws ApiError `invalid_request` for too many parameters, for content that is not JSON, and for an object
 * that is nested too deeply; and URIError for an invalid percent escape.
 *
 * @param credentials the names of API keys in the query, which the parser omits unless they are parameters too.
 */
export function compileQueryParser(
  document: SchemaDocument,
  parameters: readonly OpenAPIV3.ParameterObject[],
  credentials: readonly string[],
): QueryParser {
  const names = new Set(parameters.map(({ name }) => name));
  const omitted = credentials.filter((name) => !names.has(name));
  const styles = new QueryStyles(document, parameters, new Set(omitted));
  if (!styles.isPlain) return (text) => styles.parse(text);
  if (omitted.length === 0) return parseQuery;
  return (text) => {
    const query = parseQuery(text);
    for (const name of omitted) Reflect.deleteProperty(query, name);
    return query;
  };
}

/** The parameters of an operation, some of which are not sent as `name=value` with one value. */
class QueryStyles {
  private readonly names: ReadonlySet<string>;
  private readonly decoders: ReadonlyMap<string, Decoder>;
  /** The names of those that are JSON. */
  private readonly contents: ReadonlySet<string>;
  /** The names of objects with the style `deepObject`. */
  private readonly deepObjects: readonly string[];
  /** The objects whose properties are parameters of their own. */
  private readonly objects: readonly { readonly name: string; readonly fields: Members; readonly required: boolean }[];
  /** The names of the parameters for which an empty value means that they are omitted. */
  private readonly omittedIfEmpty: ReadonlySet<string>;

  /** @param credentials the names of API keys, which no object has as fields. */
  constructor(
    document: SchemaDocument,
    parameters: readonly OpenAPIV3.ParameterObject[],
    private readonly credentials: ReadonlySet<string>,
  ) {
    const namesOf = (isWanted: (parameter: OpenAPIV3.ParameterObject) => boolean) =>
      parameters.filter(isWanted).map(({ name }) => name);
    this.names = new Set(namesOf(() => true));
    this.decoders = new Map(decodersOf(document, parameters, decodeForm));
    this.contents = new Set(namesOf(({ content }) => content !== undefined));
    this.deepObjects = namesOf((parameter) => styleOf(parameter) === 'deepObject');
    this.omittedIfEmpty = new Set(
      namesOf((each) => each.allowEmptyValue === true && !isText(document, schemaOf(each))),
    );
    const rules = memberRulesOf(document);
    this.objects = parameters.flatMap((parameter) => {
      const { name, required = false } = parameter;
      const { fields } = hasOwnParameters(document, parameter) ? rules.of(schemaOf(parameter)) : {};
      return fields === undefined ? [] : [{ name, fields, required }];
    });
  }

  get isPlain(): boolean {
    const count = this.decoders.size + this.omittedIfEmpty.size + this.deepObjects.length + this.objects.length;
    return count === 0;
  }

  parse(text: string): Record<string, unknown> {
    const query: Record<string, unknown> = {};
    // Its properties, not the object itself, are reported as missing.
    for (const { name, required } of this.objects) if (required) setMember(query, name, {});
    const nested = new Map<string, string[]>();
    for (const pair of splitQuery(text)) {
      const equals = pair.indexOf('=');
      const name = nameIn(pair, equals);
      const value = equals < 0 ? '' : pair.slice(equals + 1);
      if (this.isOmitted(name, value)) continue;
      const deepObject = this.findDeepObject(name);
      if (deepObject === undefined) this.add(query, name, value);
      else
        nested.set(deepObject, [...(nested.get(deepObject) ?? []), nestedPair(name.slice(deepObject.length), value)]);
    }
    for (const [name, pairs] of nested) setMember(query, name, parseDeepObject(name, pairs));
    return query;
  }

  private isOmitted(name: string, value: string): boolean {
    return this.credentials.has(name) || (value === '' && this.omittedIfEmpty.has(name));
  }

  private findDeepObject(name: string): string | undefined {
    const isPart = (each: string) => name === each || (name.startsWith(`${each}[`) && !this.names.has(name));
    return this.deepObjects.find(isPart);
  }

  private add(query: Record<string, unknown>, name: string, value: string): void {
    const decode = this.decoders.get(name);
    if (decode !== undefined) {
      if (!this.contents.has(name)) for (const each of [decode(value)].flat()) append(query, name, each);
      else if (Object.hasOwn(query, name)) throw invalidMember('query', name, 'must be sent only once.');
      else setMember(query, name, decode(value));
      return;
    }
    const object = this.names.has(name) ? undefined : this.objects.find(({ fields }) => isField(fields, name));
    const fields = object === undefined ? query : findOrAdd(query, object.name);
    const text = decodeForm(value);
    // Validation reports a parameter with the name of the object.
    if (typeof fields === 'object' && !Array.isArray(fields)) append(fields as Record<string, unknown>, name, text);
  }
}

/** The value of a parameter, which is an empty object at first. */
function findOrAdd(query: Record<string, unknown>, name: string): unknown {
  if (!Object.hasOwn(query, name)) setMember(query, name, {});
  return query[name];
}

function isText(document: object, schema: Schema): boolean {
  const hasMembers = allowsType('array', document, schema) || allowsType('object', document, schema);
  return !hasMembers && findTextParser(document, schema) === undefined;
}

/** Whether an object can have a field. One without `properties` and `additionalProperties` can have any. */
function isField({ isFree, find }: Members, name: string): boolean {
  return isFree || find(name) !== undefined;
}

/** A parameter for qs, below a name that needs no encoding. @param brackets such as `[a][b]`. */
function nestedPair(brackets: string, value: string): string {
  return `object${encodeURIComponent(brackets)}=${encodeURIComponent(decodeForm(value))}`;
}

/** @throws ApiError `invalid_request` beyond the limits. */
function parseDeepObject(name: string, pairs: readonly string[]): unknown {
  try {
    return parseNested(pairs.join('&'), {
      depth: depthMax,
      strictDepth: true,
      arrayLimit: arrayMax,
      parameterLimit: arrayMax,
      throwOnLimitExceeded: true,
      allowPrototypes: true,
    })['object'];
  } catch (cause) {
    const limits = `at most ${String(depthMax)} levels, and arrays of at most ${String(arrayMax)} items`;
    throw invalidMember('query', name, `must have ${limits}.`, cause);
  }
}
