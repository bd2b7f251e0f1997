import type { Oas3Rule } from '@redocly/openapi-core/lib/visitors.js';
import type { UserContext } from '@redocly/openapi-core/lib/walk.js';

type Parts = Record<string, unknown>;

/** The keywords whose boolean schemas Redocly does not support, unlike those of `properties`, `items` and others. */
const single = ['not', 'if', 'then', 'else', 'contains', 'propertyNames'];
const several = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'dependentSchemas', '$defs'];

/**
 * A rule that replaces boolean schemas of OpenAPI 3.1, where Redocly expects objects, in place: `true` by the schema of
 * any value, and `false` by that of none.
 */
export const booleanSchemaRule: Oas3Rule = () => {
  const replaceIn = (names: readonly string[]) => (node: object, context: UserContext) => {
    if ((context.oasVersion as string) !== 'oas3_0') replaceMembers(node as Parts, names);
  };
  const inSchema = replaceIn(single);
  const inHolder = replaceIn(['schema']);
  return {
    Schema: (schema: object, context) => {
      inSchema(schema, context);
      for (const keyword of several) {
        const nodes = (schema as Parts)[keyword];
        if (typeof nodes === 'object' && nodes !== null) replaceIn(Object.keys(nodes))(nodes, context);
      }
    },
    Parameter: inHolder,
    Header: inHolder,
    MediaType: inHolder,
  };
};

/** Replaces the boolean schemas of components, before references are followed. */
export function replaceBooleanComponents({ openapi, components }: Parts): void {
  const { schemas } = Object(components) as Parts;
  if (String(openapi).startsWith('3.0') || typeof schemas !== 'object' || schemas === null) return;
  replaceMembers(schemas as Parts, Object.keys(schemas));
}

function replaceMembers(parent: Parts, names: readonly string[]): void {
  for (const name of names.filter((each) => typeof parent[each] === 'boolean'))
    parent[name] = parent[name] === true ? {} : { not: {} };
}
