import { _, type Code, type CodeGen, type CodeKeywordDefinition, type Name, stringify } from 'ajv';
import type { Schema } from '../contract/schemas.js';
import { isInherited } from './own-members.js';
import type { ValidationRun } from './validation-run.js';

/**
 * The keyword `defaults`: the defaults of the properties of a translated schema, by name. It fills them in as the
 * option `useDefaults` of Ajv does, and records that, so that an invalid value can be validated again as it was sent.
 */
export function defaultsKeyword(run: ValidationRun): CodeKeywordDefinition {
  return {
    keyword: 'defaults',
    type: 'object',
    schemaType: 'object',
    // The first keyword of objects: a default counts as sent for all of them.
    before: 'maxProperties',
    code: ({ gen, data, schema, it }) => {
      // A schema that may not apply fills nothing in.
      if (it.compositeRule === true) return;
      const state = gen.scopeValue('func', { ref: run });
      for (const [name, value] of Object.entries(schema as Schema))
        gen.if(isMissing(data, name), () => gen.code(_`${state}.change(${data}, ${name}, ${codeOf(gen, value)})`));
    },
  };
}

/** The code of a new value each time. Ajv's `stringify` throws for a value with a `bigint`. */
function codeOf(gen: CodeGen, value: unknown): Code {
  try {
    return stringify(value);
  } catch {
    return _`${gen.scopeValue('func', { ref: () => structuredClone(value) })}()`;
  }
}

function isMissing(data: Name, name: string): Code {
  return isInherited(name) ? _`!Object.hasOwn(${data}, ${name})` : _`${data}[${name}] === undefined`;
}

/** Adds the keyword `defaults` to a translated schema, if its properties have any. */
export function addDefaults(schema: Record<string, unknown>): void {
  const properties = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, Schema>>);
  const defaults = properties.flatMap(([name, { default: value }]) => (value === undefined ? [] : [[name, value]]));
  if (defaults.length > 0) schema['defaults'] = Object.fromEntries(defaults);
}
