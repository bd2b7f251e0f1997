import type { Contract, Operation } from '@contract-server/core/contract/contract.js';
import { isJson } from '@contract-server/core/contract/media-types.js';
import { type Parameter, parameterOf, parameterPlaces } from '@contract-server/core/contract/parameters.js';
import type { DeclaredMedia } from '@contract-server/core/contract/responses.js';
import type { Schema, Schemas } from '@contract-server/core/contract/schemas.js';
import type { SecuritySchemeObject } from '@contract-server/core/contract/security.js';
import { isBinary } from '@contract-server/core/schema/binary-schema.js';

type Values = Readonly<Record<string, unknown>>;

/** What a client needs of a contract at run time. The keys of operations are their method and path. */
export interface ClientValues {
  readonly version: string;
  readonly pathPrefix: string;
  /** The path prefixes of operations that have one of their own. */
  readonly prefixes: Readonly<Record<string, string>>;
  /** How parameters are serialized that differ from the default of their place. */
  readonly styles: Values;
  /** The media types of successful responses that are not JSON. */
  readonly mediaTypes: Readonly<Record<string, readonly string[]>>;
  /** The security schemes that clients can send credentials for. */
  readonly schemes: Values;
}

export function clientValuesOf(contract: Contract): ClientValues {
  const { document, schemas, prefix, operations, securitySchemes } = contract;
  const byOperation = <Value extends object | string>(valueOf: (operation: Operation) => Value | undefined) =>
    Object.fromEntries(operations.flatMap((each) => pairOf(`${each.method} ${each.path}`, valueOf(each))));
  return {
    version: document.info.version,
    pathPrefix: prefix,
    prefixes: byOperation((operation) => (operation.prefix === prefix ? undefined : operation.prefix)),
    styles: byOperation(stylesOf),
    mediaTypes: byOperation((operation) => mediaTypesOf(schemas, operation)),
    schemes: Object.fromEntries([...securitySchemes].flatMap(([name, scheme]) => pairOf(name, schemeOf(scheme)))),
  };
}

/** None for a value that is undefined or an empty object. */
function pairOf<Value extends object | string>(name: string, value: Value | undefined): (readonly [string, Value])[] {
  const isEmpty = value === undefined || (typeof value === 'object' && Object.keys(value).length === 0);
  return isEmpty ? [] : [[name, value]];
}

function stylesOf({ parameters }: Operation): Values {
  const places = parameterPlaces.flatMap((place) =>
    pairOf(place, Object.fromEntries(parameters[place].flatMap((each) => pairOf(each.name, styleOf(each))))),
  );
  return Object.fromEntries(places);
}

/** What of the serialization of a parameter differs from the default of its place. */
function styleOf({ place, style, isExploded, isJson: isContent, declaration }: Parameter): Values {
  if (isContent) return { content: 'application/json' };
  return {
    ...(style !== parameterOf({ name: '', in: place }).style && { style }),
    // The client explodes deepObject, whatever the contract says.
    ...(style !== 'deepObject' && isExploded !== (style === 'form') && { explode: isExploded }),
    ...(declaration.allowReserved === true && { allowReserved: true }),
  };
}

/** Those of `default` only without another success, as for the types of the client. */
function mediaTypesOf(schemas: Schemas, { responses }: Operation): string[] {
  const names = [...responses.declared.keys()];
  const successes = names.filter((name) => name.startsWith('2'));
  const content = (successes.length > 0 ? successes : ['default']).flatMap(
    (name) => responses.declared.get(name)?.content ?? [],
  );
  return [...new Set(content.filter((media) => !isSentAsJson(schemas, media)).map(({ mediaType }) => mediaType))];
}

/** A range with a schema describes JSON, unless it describes a file. */
function isSentAsJson(schemas: Schemas, { mediaType, media: { schema } }: DeclaredMedia): boolean {
  const isAny = mediaType === '*/*' || mediaType === 'application/*';
  return isJson(mediaType) || (isAny && schema !== undefined && !isBinary(schemas, schema as Schema));
}

function schemeOf(scheme: SecuritySchemeObject): Values | undefined {
  if (scheme.type === 'apiKey') return { type: 'apiKey', in: scheme.in, name: scheme.name };
  // The tokens of the others are bearer tokens (RFC 6750).
  const name = scheme.type === 'http' ? scheme.scheme.toLowerCase() : 'bearer';
  const isSent = ['http', 'oauth2', 'openIdConnect'].includes(scheme.type) && ['basic', 'bearer'].includes(name);
  return isSent ? { type: 'http', scheme: name } : undefined;
}

/** The text of an object literal: there, only a computed key adds a member of the name `__proto__`. */
export function literalOf(values: ClientValues): string {
  return JSON.stringify(values, undefined, 2).replaceAll('"__proto__":', '["__proto__"]:');
}
