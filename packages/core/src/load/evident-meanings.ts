import type { NormalizedProblem } from '@redocly/openapi-core';
import type { OpenAPIV3 } from 'openapi-types';
import type { Problem } from '../contract/contract-error.js';
import { unescapeName } from '../contract/json-pointer.js';
import { urlOf } from '../contract/servers.js';
import type { LocatedNode } from './broken-parts.js';
import { ownersOf } from './later-versions.js';

type Node = Record<string, unknown>;

/** A part that is invalid but has an evident meaning. */
interface EvidentMeaning {
  readonly type: RegExp;
  readonly message: RegExp;
  /** Of the part that is invalid. Default: any. */
  readonly member?: RegExp;
  /** Whether the meaning of the node is evident. Default: it always is. */
  readonly isMeant?: (node: Node) => boolean;
  /** Completes the sentence about the problem. */
  readonly meaning: string;
  /** Makes the node valid, in place; several problems can have the same node. @param name of the member. */
  readonly repair: (node: Node, name: string) => void;
}

const requiredText = /^The field `(?:description|name|url|title|version)` must be present/;

const meanings: readonly EvidentMeaning[] = [
  {
    type: /^(?:Response|Info|License|ExternalDocs)$/,
    message: requiredText,
    meaning: 'it is empty',
    repair: (node, name) => void (node[name] ??= ''),
  },
  {
    type: /^Operation$/,
    message: /^The field `responses` must be present/,
    meaning: 'any response is allowed',
    repair: (node) => void (node['responses'] ??= {}),
  },
  {
    type: /^Schema$/,
    member: /^exclusive(?:Minimum|Maximum)$/,
    message: /^Expected type `number` but got `boolean`/,
    meaning: 'it is read as in OpenAPI 3.0',
    repair: toNumericBound,
  },
  {
    type: /^Schema$/,
    member: /^exclusive(?:Minimum|Maximum)$/,
    message: /^Expected type `boolean` but got `(?:number|integer)`/,
    meaning: 'it is read as in OpenAPI 3.1',
    repair: toBooleanBound,
  },
  {
    type: /^Schema$/,
    member: /^required$/,
    message: /^Expected type `array` but got `boolean`/,
    meaning: 'it is ignored; list the names in the schema of the object',
    repair: (node) => {
      if (typeof node['required'] === 'boolean') Reflect.deleteProperty(node, 'required');
    },
  },
  {
    type: /^Schema$/,
    message: /^`type` can be one of/,
    isMeant: ({ type }) => isNullableType(type),
    meaning: 'it is read as in OpenAPI 3.1',
    repair: toNullable,
  },
  {
    type: /^Schema$/,
    member: /^(?:const|examples)$/,
    message: /^Property `/,
    meaning: 'it is read as in OpenAPI 3.1',
    repair: (node, name) => {
      if (name === 'const' && Object.hasOwn(node, name)) node['enum'] ??= [node[name]];
      Reflect.deleteProperty(node, name);
    },
  },
  {
    type: /^Parameter$/,
    message: /^The path parameter .* lacks `required: true`/,
    meaning: 'it is read as required',
    repair: (node) => void (node['required'] = true),
  },
  {
    type: /^Paths$/,
    message: /^Don't put query string items in the path/,
    meaning: 'the path is not served',
    repair: (node, name) => void Reflect.deleteProperty(node, name),
  },
];

/** The warning in place of a problem. */
interface EvidentProblem {
  readonly message: string;
  /** Makes the part valid. */
  readonly repair: () => void;
}

/**
 * Finds what a problem evidently means; `undefined` if nothing is evident.
 *
 * @param around the nodes that contain its place, the innermost first.
 */
export function findEvidentMeaning(
  { message, location }: NormalizedProblem,
  around: readonly LocatedNode[],
): EvidentProblem | undefined {
  const pointer = location[0]?.pointer ?? '';
  const names = pointer.split('/').slice(1).filter(Boolean).map(unescapeName);
  for (const [index, { node, type, depth }] of around.entries()) {
    const name = (requiredText.test(message) ? message.split('`')[1] : names[depth]) ?? '';
    const found = meanings.find((each) => each.type.test(type) && isMeaning(each, message, name, node as Node));
    // A path is what its own node is in.
    if (found === undefined || (index > 0 && type !== 'Paths')) continue;
    const sentence = `${message.replace(/\.? *$/, '')}; ${found.meaning}.`;
    return { message: sentence, repair: () => found.repair(node as Node, name) };
  }
  return undefined;
}

function isMeaning({ message: pattern, member, isMeant }: EvidentMeaning, message: string, name: string, node: Node) {
  return pattern.test(message) && member?.test(name) !== false && isMeant?.(node) !== false;
}

function toNumericBound(node: Node, name: string): void {
  if (typeof node[name] !== 'boolean') return;
  const inclusive = name === 'exclusiveMinimum' ? 'minimum' : 'maximum';
  const isExclusive = node[name] && node[inclusive] !== undefined;
  Reflect.deleteProperty(node, name);
  if (!isExclusive) return;
  node[name] = node[inclusive];
  Reflect.deleteProperty(node, inclusive);
}

/** The stricter one of both bounds remains. */
function toBooleanBound(node: Node, name: string): void {
  const bound = node[name];
  if (typeof bound !== 'number') return;
  const inclusive = name === 'exclusiveMinimum' ? 'minimum' : 'maximum';
  const { [inclusive]: other } = node;
  const isStricter = typeof other !== 'number' || (inclusive === 'minimum' ? bound >= other : bound <= other);
  if (isStricter) Object.assign(node, { [name]: true, [inclusive]: bound });
  else Reflect.deleteProperty(node, name);
}

function isNullableType(type: unknown): type is readonly string[] {
  return Array.isArray(type) && type.length === 2 && type.includes('null') && type[0] !== type[1];
}

function toNullable(node: Node): void {
  const { type } = node;
  if (!isNullableType(type)) return;
  node['type'] = type.find((each) => each !== 'null');
  node['nullable'] = true;
}

interface InvalidServer {
  readonly servers: OpenAPIV3.ServerObject[];
  readonly index: number;
  readonly url: string;
  readonly path: Problem['path'];
}

/** Servers whose URL is invalid, such as one whose variables have no default. Their path is evident. */
export function findInvalidServers(document: OpenAPIV3.Document): InvalidServer[] {
  return [[[], document] as const, ...ownersOf(document)].flatMap(([path, { servers = [] }]) =>
    servers.flatMap((server, index) => {
      const url = urlOf(server);
      const isValid = URL.canParse(url, 'http://localhost');
      return isValid ? [] : [{ servers, index, url, path: [...path, 'servers', index, 'url'] }];
    }),
  );
}

/** Replaces them by servers with the same path, in place. @returns a warning for each. */
export function replaceInvalidServers(document: OpenAPIV3.Document): Problem[] {
  return findInvalidServers(document).map(({ servers, index, url, path }) => {
    const [, prefix = '/'] = /^[^/]*\/\/[^/]*(\/[\w./~-]*)/.exec(url) ?? [];
    servers[index] = { url: prefix };
    const message = `The URL ${url} of the server is invalid; its path is read as ${prefix}.`;
    return { path, message, isWarning: true };
  });
}
