import { randomUUID } from 'node:crypto';
import { type EventType, load, type State } from 'js-yaml';
import { stringifyJson } from '../json/exact-json.js';
import { exactSchema } from './exact-integers.js';

/** Begins the name of a member while it is that of an object. It is random, so no other text has it. */
const mark = randomUUID();
const marked = new RegExp(`"${mark}`, 'g');
const integer = /^[0-9]+$/;
/** After a scalar of YAML that is the name of a member. */
const colon = /[ \t]*:|\s*:\s/y;

/** Writes a YAML text that has been parsed before as JSON: the same members, in the same order, and exact integers. */
export function yamlToJson(text: string): string {
  return stringifyJson(load(text, { schema: exactSchema, listener: markInteger })).replace(marked, '"');
}

/** Marks a name such as `404`: JavaScript moves those of objects to the start, in ascending order. */
function markInteger(event: EventType, state: State): void {
  if (event !== 'close' || state.kind !== 'scalar' || !integer.test(String(state.result))) return;
  colon.lastIndex = state.position;
  if (colon.test(state.input)) state.result = `${mark}${String(state.result)}`;
}
