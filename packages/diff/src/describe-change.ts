import { stringifyJson } from '@contract-server/core/json/exact-json.js';
import type { Path } from './compared-document.js';
import type { RecordedChange } from './recorder.js';

/** A change in words. */
export interface Description {
  /** The first operationId; `undefined` for what all operations share. */
  readonly operation: string | undefined;
  /** Such as `request body > owner > name`; '' for the operation itself. */
  readonly place: string;
  /** Such as `maxLength: 255 -> 254`. */
  readonly change: string;
}

/** What to call the entries of a section. */
const kinds: Readonly<Record<string, string>> = {
  paths: 'path',
  webhooks: 'webhook',
  responses: 'response',
  headers: 'header',
  content: 'media type',
  properties: 'property',
  securitySchemes: 'security scheme',
  encoding: 'field',
  flows: 'flow',
  anyOf: 'anyOf schema',
  oneOf: 'oneOf schema',
  allOf: 'allOf schema',
  patternProperties: 'pattern',
  scopes: 'scope',
  callbacks: 'callback',
  'x-error-codes': 'error code',
  'x-rate-limit-plans': 'plan',
  'x-key-prefixes': 'key prefix',
};
/** What to call the items of a list. */
const lists: Readonly<Record<string, string>> = { required: 'required property', enum: 'enum value', type: 'type' };
/** What to call other steps; `undefined` if every path has them. */
const simple: Readonly<Record<string, string | undefined>> = {
  requestBody: 'request body',
  schema: undefined,
  components: undefined,
};
const actions = { add: 'added', remove: 'removed', replace: 'changed' };
const valueLengthMax = 40;

/** Describes a change. */
export function describeChange(change: RecordedChange): Description {
  const { names, operations, action } = change;
  const described =
    names.length === 0 ? { place: '', change: `operation ${actions[action]}` } : describe(change, names);
  return { operation: operations[0], ...described };
}

function describe(change: RecordedChange, path: Path): Pick<Description, 'place' | 'change'> {
  const steps: string[] = [];
  for (let index = 0; index < path.length; ) {
    const [length, name] = stepAt(path, index);
    if (name !== undefined) steps.push(name);
    index += length;
  }
  const subject = steps.pop() ?? '';
  return { place: steps.join(' > '), change: changeOf(change, subject, path.at(-2)) };
}

/** The number of names in a path that are one step, and what to call it; `undefined` for a step of every path. */
function stepAt(path: Path, index: number): [length: number, name: string | undefined] {
  const [name = '', next] = path.slice(index, index + 2).map(String);
  const isLast = index + 2 === path.length;
  if (next !== undefined && isLast && name in lists) return [2, lists[name]];
  if (next === undefined || !(name in kinds)) return name in simple ? [1, simple[name]] : [1, name];
  return [2, isLast ? `${kinds[name] ?? ''} ${next}` : nameOf(name, next)];
}

/** Such as `response 404`. Properties have their own name; JSON is the media type of most bodies. */
function nameOf(section: string, name: string): string | undefined {
  if (section === 'content' && name === 'application/json') return undefined;
  return section === 'properties' ? name : `${kinds[section] ?? ''} ${name}`;
}

function changeOf({ action, before, after }: RecordedChange, subject: string, section: unknown): string {
  if (action === 'replace' && isScalar(before) && isScalar(after))
    return `${subject}: ${textOf(before)} -> ${textOf(after)}`;
  const value = action === 'remove' ? before : after;
  if (!isScalar(value)) return `${subject} ${actions[action]}`;
  return String(section) in lists
    ? `${subject} ${textOf(value)} ${actions[action]}`
    : `${subject} ${actions[action]}: ${textOf(value)}`;
}

/** Whether a value is short enough to be shown. */
export function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

function textOf(value: unknown): string {
  const text = stringifyJson(value);
  return text.length > valueLengthMax ? `${text.slice(0, valueLengthMax)}…` : text;
}
