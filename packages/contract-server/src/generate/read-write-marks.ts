import type { Schemas } from '@contract-server/core/contract/schemas.js';
import { type Mark, memberRulesOf } from '@contract-server/core/schema/member-rules.js';
import type { Node } from '@contract-server/core/schema/schema-joins.js';
import ts from 'typescript';

/** The marks of openapi-typescript, which has them for properties that are marked themselves. */
const marks: readonly (readonly [mark: Mark, type: string, field: string])[] = [
  ['readOnly', '$Read', '$read'],
  ['writeOnly', '$Write', '$write'],
];

const values = ['items', 'additionalProperties', 'unevaluatedProperties'];

/**
 * Marks a property whose schema is `readOnly` or `writeOnly` by any part of it, such as a reference.
 *
 * @param document where references lead.
 */
export function markProperty(schemas: Schemas, property: ts.PropertySignature, schema: object) {
  const name = (property.name as ts.Identifier | ts.StringLiteral).text;
  const mark = findMark(schemas, schema);
  const isMarked = marks.some(
    ([keyword, , field]) => field === name || (schema as Readonly<Record<string, unknown>>)[keyword] === true,
  );
  if (mark === undefined || isMarked || property.type === undefined) return property;
  const { modifiers, name: nameNode, questionToken, type } = property;
  const marked = ts.factory.createTypeReferenceNode(mark[1], [type]);
  return ts.factory.updatePropertySignature(property, modifiers, nameNode, questionToken, marked);
}

/**
 * Marks the items of arrays, and the values of maps: an object with the field of a mark has the type of the mark. One
 * of `prefixItems` can be null, because this is what is sent in its place.
 *
 * @param holder the schema with the keyword.
 */
export function markValues(schemas: Schemas, holder: object, keyword: string, schema: unknown): unknown {
  if (keyword === 'prefixItems' && Array.isArray(schema))
    return schema.map((node: object) =>
      findMark(schemas, node) === undefined ? node : { oneOf: [node, { type: 'null' }] },
    );
  const mark = values.includes(keyword) && !('properties' in holder) ? findMark(schemas, schema) : undefined;
  return mark === undefined ? schema : { type: 'object', properties: { [mark[2]]: schema }, required: [mark[2]] };
}

function findMark(schemas: Schemas, schema: unknown) {
  const found = marks.filter(([mark]) => memberRulesOf(schemas).isMarked(mark, schema as Node));
  // What is neither sent nor accepted has no type of its own.
  return found.length === 1 ? found[0] : undefined;
}
