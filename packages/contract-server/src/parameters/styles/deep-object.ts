import type { Schema, SchemaDocument } from '../../contract/schema-document.js';
import { memberOf, setMember } from '../../json/object-members.js';
import { invalidMember } from '../../schema/invalid-member.js';
import { memberRulesOf } from '../../schema/member-rules.js';
import { allowsType } from '../../schema/parse-text.js';
import { decodeForm } from '../parse-query.js';
import { arrayMax, depthMax } from './limits.js';
import { type Style, sentAs } from './style.js';

/** An object as `filter[a]=1&filter[b][c]=2`. OpenAPI leaves open how deep it nests; arrays are read as qs does. */
export const deepObject: Style = {
  places: ['query'],
  spread: (document, { name, schema }) => ({
    accepts: (part) => part.startsWith(name) && brackets.test(part.slice(name.length)),
    read: (query) => {
      let value: unknown;
      return {
        add: (part, text) => {
          const path = part === name ? [] : part.slice(name.length + 1, -1).split('][');
          if (path.length > depthMax) throw beyondLimits(name);
          value = put(value, path, decodeForm(text));
        },
        finish: () => {
          if (value !== undefined) setMember(query, name, withArrays(value, { document, schema, name }));
        },
      };
    },
    sentPath: ([, ...rest]) => [`${name}${rest.map((each) => `[${each}]`).join('')}`],
  }),
  sentForm: ({ name }, field) => ({
    array: undefined,
    object: sentAs(`${name}[${field}]=value`),
    hasOtherNames: true,
  }),
};

const brackets = /^(?:\[[^[\]]*\])*$/;
const index = /^(?:0|[1-9][0-9]*)$/;

/** Adds text to a value, below a path in which an empty name is the next item of an array. Returns the value. */
function put(value: unknown, [name, ...rest]: readonly string[], text: string): unknown {
  if (name === undefined) return value === undefined ? text : [value, text].flat();
  const isObject = typeof value === 'object' && !Array.isArray(value);
  if (name === '' && !isObject) return [...itemsOf(value), put(undefined, rest, text)];
  if (!isObject && value !== undefined) return [...itemsOf(value), put({}, [name, ...rest], text)];
  const object = value ?? {};
  const member = name === '' ? String(Object.keys(object).length) : name;
  setMember(object, member, put(memberOf(object, member), rest, text));
  return object;
}

function itemsOf(value: unknown): readonly unknown[] {
  return value === undefined ? [] : [value].flat();
}

interface Place {
  readonly document: SchemaDocument;
  readonly schema: unknown;
  /** Of the parameter. */
  readonly name: string;
}

/** Replaces objects whose names are indices by arrays, where the schema has no objects. Indices can have gaps. */
function withArrays(value: unknown, place: Place): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const schema = Object(place.schema) as Schema;
  const { fields, items } = memberRulesOf(place.document).of(schema);
  const names = Object.keys(value);
  const isArray =
    Array.isArray(value) || (names.every((each) => index.test(each)) && !allowsType('object', place.document, schema));
  if (!isArray) {
    for (const each of names)
      setMember(value, each, withArrays(memberOf(value, each), { ...place, schema: fields?.find(each) }));
    return value;
  }
  if (names.some((each) => Number(each) > arrayMax)) throw beyondLimits(place.name);
  return Object.values(value).map((item, at) => withArrays(item, { ...place, schema: items?.find(at) }));
}

function beyondLimits(name: string) {
  const limits = `at most ${String(depthMax)} levels, and arrays of at most ${String(arrayMax)} items`;
  return invalidMember('query', name, `must have ${limits}.`);
}
