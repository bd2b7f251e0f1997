import { stringifyJson } from '../../json/exact-json.js';
import { createAjv } from '../../schema/create-ajv.js';
import { describeErrors } from '../../schema/validation-messages.js';
import type { Schema, Schemas } from '../schemas.js';
import type { CheckedSchema } from './check-schemas.js';
import type { LocatedProblem } from './problem-lines.js';

/**
 * Removes the defaults that are invalid where they would be filled in: a client would get a 400 for a field that it did
 * not send. A default that another part of an `allOf` does not allow is removed wherever it is used.
 *
 * @returns what is wrong with each.
 */
export function removeInvalidDefaults(schemas: Schemas, checked: readonly CheckedSchema[]): LocatedProblem[] {
  const problems: LocatedProblem[] = [];
  let ajv: ReturnType<typeof createAjv> | undefined;
  /** @param outer the fields that contain this object. */
  const check = (parts: readonly Part[], place: LocatedProblem['place'], outer: readonly Schema[] = []): void => {
    for (const name of new Set(parts.flatMap(({ properties = {} }) => Object.keys(properties)))) {
      const fields = [...new Set(parts.flatMap((part) => fieldOf(part, name)))];
      const owners = new Set(fields.flatMap((field) => [field, schemas.resolve<Schema>(field)]));
      for (const owner of [...owners].filter(({ default: value }) => value !== undefined)) {
        const { default: value } = owner;
        const line = { allOf: parts.map((part) => rulesOf(part, name)) };
        const validate = (ajv ??= createAjv(schemas)).compile({ properties: { line } });
        if (validate({ line: { [name]: structuredClone(value) } })) continue;
        const reason = describeErrors(validate.errors ?? []);
        problems.push({ message: `The default ${stringifyJson(value)} is not filled in: ${reason}`, place });
        Reflect.deleteProperty(owner, 'default');
        ajv = undefined;
      }
      if (fields.length > 1 && !fields.every((field) => outer.includes(field)))
        check(schemas.conjunctsOf({ allOf: fields }), place, [...outer, ...fields]);
    }
  };
  for (const { schema, place } of checked) {
    check([{ properties: { default: schema as Schema } }], place.child(['default']).key());
    const parts = schemas.conjunctsOf(schema as Schema);
    if (parts.length > 1) check(parts, place);
  }
  return problems;
}

/** What a schema requires of fields. */
interface Part {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Schema;
  readonly additionalProperties?: unknown;
}

/** What a schema requires of one field. */
function rulesOf(part: Part, name: string): Part {
  const { patternProperties = {}, additionalProperties = {} } = part;
  const properties = Object.fromEntries(fieldOf(part, name).map((field) => [name, field]));
  return { properties, patternProperties, additionalProperties };
}

/** The schema of a field; none if the part does not describe it. */
function fieldOf({ properties = {} }: Part, name: string): Schema[] {
  return Object.entries(properties).flatMap(([each, field]) => (each === name ? [field] : []));
}
