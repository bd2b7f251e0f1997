import type { Parameter } from '../../contract/parameters.js';
import type { Schemas } from '../../contract/schemas.js';
import { setMember } from '../../json/object-members.js';
import { memberRulesOf } from '../../schema/member-rules.js';
import { append, decodeForm } from '../parse-query.js';
import { type Spread, type Style, sentAs } from './style.js';

/**
 * The style `form` with `explode`: an array is a parameter that is sent several times, and the properties of an object
 * are parameters of their own.
 */
export const form: Style = {
  places: ['query', 'cookie'],
  spread: (schemas, parameter) =>
    schemas.allows('object', parameter.schema) ? spreadOf(schemas, parameter) : undefined,
  sentForm: ({ name }, field) => ({
    array: sentAs(`${name}=item&${name}=item`),
    object: sentAs(`${field}=value`),
    hasOtherNames: true,
  }),
  problem: (schemas, { place, schema }) => {
    // The syntax of several cookies is that of a query, which no client sends.
    if (place !== 'cookie' || !schemas.allowsMembers(schema)) return undefined;
    return 'is an array or an object, which is supported with explode: false only.';
  },
};

function spreadOf(schemas: Schemas, { name, schema, isRequired }: Parameter): Spread | undefined {
  const { fields } = memberRulesOf(schemas).of(schema);
  if (fields === undefined) return undefined;
  return {
    // An object without `properties` and `additionalProperties` can have any field.
    accepts: (part) => part !== name && (fields.isFree || fields.find(part) !== undefined),
    read: (query) => {
      // Its properties, not the object itself, are reported as missing.
      if (isRequired) setMember(query, name, {});
      return {
        add: (part, value) => {
          if (!Object.hasOwn(query, name)) setMember(query, name, {});
          const { [name]: object } = query;
          // Validation reports a parameter with the name of the object.
          if (typeof object === 'object' && !Array.isArray(object))
            append(object as Record<string, unknown>, part, decodeForm(value));
        },
      };
    },
    sentPath: ([, ...rest]) => rest,
    names: fields.names,
  };
}
