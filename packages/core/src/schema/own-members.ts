import { _, type Code, type CodeGen, type KeywordCxt, Name } from 'ajv';
import { type GenerateCode, replaceCode, replaceMembers } from './replace-code.js';
import type { SchemaAjv } from './schema-ajv.js';

/** The keywords that look members up by the names in their values. */
const naming = ['properties', 'required', 'dependencies', 'dependentRequired', 'dependentSchemas'];

/**
 * Makes an Ajv look up only members that an object has itself, where a name is that of a method of all objects, such as
 * `constructor`. Its option `ownProperties` does so for all names, which takes longer.
 */
export function lookUpOwnMembers(ajv: SchemaAjv): void {
  for (const keyword of naming) replaceCode(ajv, keyword, (original) => ownIfInherited(original));
  replaceCode(ajv, 'unevaluatedProperties', (original) => (context, type) => {
    original(withOwnEvaluated(context), type);
  });
}

/** Whether all objects have a member of this name. */
export function isInherited(name: string): boolean {
  return name in Object.prototype;
}

function ownIfInherited(original: GenerateCode): GenerateCode {
  return (context, type) => {
    const { it } = context;
    const { opts } = it;
    const schema = context.schema as Readonly<Record<string, unknown>> | readonly string[];
    const names = [...Object.keys(schema), ...Object.values(schema).flat()];
    if (names.some((name) => typeof name === 'string' && isInherited(name)))
      Object.assign(it, { opts: { ...opts, ownProperties: true } });
    original(context, type);
    Object.assign(it, { opts });
  };
}

/** A context in which the name of a method of all objects is not taken for one that the schema describes. */
function withOwnEvaluated(context: KeywordCxt): KeywordCxt {
  const { gen, it } = context;
  const { props } = it;
  if (!(props instanceof Name)) return context;
  /** Replaces the first condition in the loop. */
  let isUnevaluated: Code | undefined;
  return replaceMembers(context, {
    gen: replaceMembers<CodeGen>(gen, {
      forIn: (name, value, body, kind) => {
        const withCondition = (key: Name) => {
          isUnevaluated = _`!${props} || !Object.hasOwn(${props}, ${key})`;
          body(key);
        };
        return gen.forIn(name, value, withCondition, kind);
      },
      if: (condition, ...blocks) => {
        const replaced = isUnevaluated ?? condition;
        isUnevaluated = undefined;
        return gen.if(replaced, ...blocks);
      },
    }),
  });
}
