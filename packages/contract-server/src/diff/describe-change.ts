import { resolve } from '../openapi/operations.js';
import type { Change, Contract } from './compatibility-rules.js';
import type { Path } from './contract-parts.js';

/** A change in words. */
export interface Description {
  /** The operationId; `undefined` for what all operations share. */
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
const actions = { add: 'added', remove: 'removed', replace: 'changed', rename: 'renamed' };
const valueLengthMax = 40;

type Located = Pick<Change, 'action' | 'before' | 'after'> & { readonly path: Path };

/** Describes a change at a path of the released contract. */
export function describeChange(change: Located, released: Contract, current: Contract): Description {
  const [section, template, method] = change.path.map(String);
  if (section !== 'paths' || template === undefined || method === undefined)
    return { operation: undefined, ...describe(change, change.path) };
  const operations = [released, current].map(({ paths }) => paths?.[template]?.[method]);
  const operation = operations.find((each) => each?.operationId !== undefined)?.operationId;
  const path = change.path.slice(3).flatMap((name, index, names) => {
    if (names[index - 1] !== 'parameters' || index !== 1) return name === 'parameters' && index === 0 ? [] : [name];
    return [parameterName(change, names.length === 2, Number(name), released, current)];
  });
  const described = path.length === 0 ? { place: '', change: `operation ${actions[change.action]}` } : undefined;
  return { operation: operation ?? `${method.toUpperCase()} ${template}`, ...(described ?? describe(change, path)) };
}

interface Parameter {
  readonly in?: string;
  readonly name?: string;
}

/** `query parameter limit` */
function parameterName({ path, before, after }: Located, isWhole: boolean, index: number, ...contracts: Contract[]) {
  const declared = contracts.map((contract) => {
    const item = contract.paths?.[String(path[1])] ?? {};
    // As api-smart-diff orders them.
    const parameters = [...(item[String(path[2])]?.parameters ?? []), ...((item['parameters'] ?? []) as object[])];
    return parameters.map((each) => resolve<Parameter>(contract, each))[index];
  });
  const found = isWhole ? ((after ?? before) as Parameter) : (declared[0] ?? declared[1]);
  return `${found?.in ?? ''} parameter ${found?.name ?? ''}`;
}

function describe(change: Located, path: Path): Pick<Description, 'place' | 'change'> {
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

function changeOf({ action, before, after }: Located, subject: string, section: unknown): string {
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
  const text = JSON.stringify(value);
  return text.length > valueLengthMax ? `${text.slice(0, valueLengthMax)}…` : text;
}
