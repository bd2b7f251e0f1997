import { isAnnotation } from '../schema/annotations.js';
import { emptySchema } from './broken-parts.js';

type Schema = Record<string, unknown>;

/**
 * Replaces `nullable: true` of OpenAPI 3.0 in a schema of 3.1, in place, by what it means: null is allowed too. So
 * types, validation and tools, which ignore `nullable` in 3.1, allow it.
 */
export function replaceNullable(schema: object): void {
  const { nullable, ...others } = schema as Schema;
  if (nullable === undefined) return;
  const { type, enum: values, ...rest } = others;
  const keywords = Object.keys(others).filter((name) => !isAnnotation(name));
  if (nullable === true && type !== undefined) {
    others['type'] = [...new Set([type, 'null'].flat())];
    if (Array.isArray(values)) others['enum'] = [...new Set([...(values as unknown[]), null])];
  } else if (nullable === true && keywords.length > 0) {
    for (const name of keywords) Reflect.deleteProperty(others, name);
    const own = Object.fromEntries(keywords.map((name) => [name, name === 'enum' ? values : rest[name]]));
    others['anyOf'] = [own, { type: 'null' }];
  }
  emptySchema(schema);
  Object.assign(schema, others);
}
