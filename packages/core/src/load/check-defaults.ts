import type { Schema, Schemas } from '../contract/schemas.js';
import { stringifyJson } from '../json/exact-json.js';
import { createAjv, type SchemaCompiler } from '../schema/create-ajv.js';
import { describeErrors } from '../schema/validation-messages.js';
import type { CheckedSchema } from './check-schemas.js';
import type { LocatedProblem } from './problem-lines.js';

/**
 * Removes the defaults that are invalid where they would be filled in: a client would get a 400 for a field that it did
 * not send. A default that another part of an `allOf` does not allow is removed wherever it is used.
 *
 * @param checked the schemas of the document, the parts of a schema before itself.
 * @returns what is wrong with each.
 */
export function removeInvalidDefaults(schemas: Schemas, checked: readonly CheckedSchema[]): LocatedProblem[] {
  const removal = new DefaultRemoval(schemas);
  for (const { schema, place } of checked) {
    removal.check([{ properties: { default: schema as Schema } }], place.child(['default']).key());
    const parts = schemas.conjunctsOf(schema as Schema);
    if (parts.length > 1) removal.check(parts, place);
  }
  return removal.problems;
}

class DefaultRemoval {
  readonly problems: LocatedProblem[] = [];
  /** Fills in the defaults that are left; `undefined` after one has been removed. */
  private ajv: SchemaCompiler | undefined;

  constructor(private readonly schemas: Schemas) {}

  /**
   * Removes the invalid defaults of the fields of an object.
   *
   * @param parts what applies to the object.
   * @param outer the fields that contain it.
   */
  check(parts: readonly Part[], place: Place, outer: readonly Schema[] = []): void {
    for (const name of new Set(parts.flatMap(({ properties = {} }) => Object.keys(properties)))) {
      const fields = [...new Set(parts.flatMap((part) => fieldOf(part, name)))];
      for (const owner of new Set(fields.flatMap((field) => [field, this.schemas.resolve<Schema>(field)])))
        if (owner['default'] !== undefined) this.checkDefault(owner, parts, name, place);
      if (fields.length > 1 && !fields.every((field) => outer.includes(field)))
        this.check(this.schemas.conjunctsOf({ allOf: fields }), place, [...outer, ...fields]);
    }
  }

  private checkDefault(owner: Schema, parts: readonly Part[], name: string, place: Place): void {
    const { default: value } = owner;
    const line = { allOf: parts.map((part) => rulesOf(part, name)) };
    this.ajv ??= createAjv(this.schemas);
    const validate = this.ajv.compile({ properties: { line } });
    if (validate({ line: { [name]: structuredClone(value) } })) return;
    const reason = describeErrors(validate.errors ?? []);
    this.problems.push({ message: `The default ${stringifyJson(value)} is not filled in: ${reason}`, place });
    Reflect.deleteProperty(owner, 'default');
    this.ajv = undefined;
  }
}

type Place = LocatedProblem['place'];

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
