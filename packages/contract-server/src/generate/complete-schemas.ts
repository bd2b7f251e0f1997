import { describedMedia } from '@contract-server/core/contract/item-schema.js';
import { findAt } from '@contract-server/core/contract/json-pointer.js';
import { ignoredHeaders } from '@contract-server/core/contract/operations.js';
import type { Schema } from '@contract-server/core/contract/schemas.js';
import { describesBinary } from '@contract-server/core/schema/binary-schema.js';

type Parts = Record<string, unknown>;

/** The keywords whose value is not a schema, an object of OpenAPI, or a list of them. */
const data = /^(?:examples?|default|enum|const|mapping|x-.*)$/;

/** The keywords whose value has names that are not keywords. */
const maps = new Set([
  ...['properties', 'patternProperties', 'dependentSchemas', '$defs', 'schemas', 'responses', 'parameters', 'headers'],
  ...['paths', 'pathItems', 'webhooks', 'callbacks', 'requestBodies', 'content', 'encoding'],
]);

/** The keywords with a list of schemas for the same value. */
const lists = new Set(['allOf', 'anyOf', 'oneOf']);

/**
 * Rewrites the schemas of a document, in place, where openapi-typescript writes a wrong type:
 *
 * - For `anyOf` beside other keywords, a union of both. A value must satisfy both.
 * - For the names in `required` that `properties` does not have, nothing.
 * - For a parameter that is JSON, text; for one that is binary, a file.
 * - For the headers that OpenAPI describes elsewhere, such as `Authorization`, parameters.
 * - For `itemSchema` of OpenAPI 3.2, nothing.
 * - For `$defs`, a property. References do not lead there, because loading makes their targets components.
 */
export function completeSchemas(document: object): void {
  visit(document, false, false);

  /** @param isObject whether a schema of which it is a part allows only objects. */
  function visit(node: unknown, isMap: boolean, isObject: boolean): void {
    if (typeof node !== 'object' || node === null) return;
    if (Array.isArray(node)) for (const item of node) visit(item, false, isObject);
    else if (isMap) for (const value of Object.values(node)) visit(value, false, false);
    else visitKeywords(node as Parts, isObject);
  }

  function visitKeywords(node: Parts, isObject: boolean): void {
    delete node['$defs'];
    declareRequired(document, node, isObject);
    joinAnyOf(node);
    describeParameter(node);
    removeIgnoredHeaders(document, node);
    describeItems(document, node);
    const isPartOfObject = isObject || allowsOnlyObjects(node);
    for (const [name, value] of Object.entries(node))
      if (!data.test(name)) visit(value, maps.has(name), lists.has(name) && isPartOfObject);
  }
}

/** The keywords that openapi-typescript writes a type for beside `anyOf`. */
const typed = ['properties', 'patternProperties', 'additionalProperties', 'allOf', 'oneOf'];

function joinAnyOf(schema: Parts): void {
  const { anyOf, allOf = [], type = 'object' } = schema;
  // Beside several types, each of which it writes with the branches, they unite.
  if (!Array.isArray(anyOf) || !Array.isArray(allOf) || Array.isArray(type)) return;
  if (type === 'object' && !typed.some((keyword) => keyword in schema)) return;
  delete schema['anyOf'];
  schema['allOf'] = [...(allOf as unknown[]), { anyOf }];
}

/** Gives a parameter with content its schema. In a parameter, binary content is text. */
function describeParameter(parameter: Parts): void {
  const { name, in: place, content, schema } = parameter;
  if (typeof name !== 'string' || typeof place !== 'string') return;
  const [media] = Object.values(content ?? {}) as Parts[];
  const declared = Object(media === undefined ? schema : media['schema']) as Parts;
  delete parameter['content'];
  parameter['schema'] = describesBinary(declared) ? { type: 'string' } : declared;
}

function removeIgnoredHeaders(document: object, holder: Parts): void {
  const { parameters } = holder;
  if (!Array.isArray(parameters)) return;
  holder['parameters'] = (parameters as Parts[]).filter((node) => {
    const { in: place, name } = Object(
      typeof node['$ref'] === 'string' ? findAt(document, node['$ref']) : node,
    ) as Parts;
    return place !== 'header' || !ignoredHeaders.includes(String(name).toLowerCase());
  });
}

function describeItems(document: object, { content }: Parts): void {
  if (typeof content !== 'object' || content === null) return;
  const types = content as Record<string, unknown>;
  for (const [name, media] of Object.entries(types))
    if (typeof media === 'object' && media !== null) types[name] = describedMedia(document, name, media);
}

/** Declares the names in `required` that neither the schema nor a part of its `allOf` declares. */
function declareRequired(document: object, schema: Parts, isObject: boolean): void {
  const { required, properties = {}, additionalProperties = {} } = schema;
  // Without a type, `required` allows any value that is not an object.
  if (!Array.isArray(required) || !mayHaveOthers(schema) || !(isObject || allowsOnlyObjects(schema))) return;
  const declared = new Set(partsOf(document, schema).flatMap((part) => Object.keys(part['properties'] ?? {})));
  const missing = (required as string[]).filter((name) => !declared.has(name));
  if (missing.length === 0) return;
  const value = additionalProperties === true ? {} : additionalProperties;
  schema['properties'] = { ...(properties as object), ...Object.fromEntries(missing.map((name) => [name, value])) };
}

/** Whether an object can have properties that are not declared, whose schema is known. */
function mayHaveOthers({ $ref, patternProperties, additionalProperties }: Parts): boolean {
  return $ref === undefined && patternProperties === undefined && additionalProperties !== false;
}

/** As openapi-typescript reads a schema: with `properties` but without a type, too. */
function allowsOnlyObjects({ type, properties }: Parts): boolean {
  return type === 'object' || (type === undefined && properties !== undefined);
}

/** A schema and the parts of its `allOf`, of which openapi-typescript reads `required` together. */
function partsOf(document: object, schema: Parts): readonly Parts[] {
  const { allOf = [] } = schema as { readonly allOf?: readonly Schema[] };
  return [
    schema,
    ...allOf.map(({ $ref, ...part }) => Object(typeof $ref === 'string' ? findAt(document, $ref) : part) as Parts),
  ];
}
