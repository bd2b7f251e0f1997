/** The contract as its readers have it: the file, without what the library makes of it. */

import { readFileSync } from 'node:fs';
import type { OpenAPIV3 } from 'openapi-types';
import { parse } from 'yaml';
import { definition } from '../pet-store.js';

interface Extensions {
  readonly 'x-stability'?: string;
}

/** An operation with its path below the path prefix. */
export interface OperationEntry {
  readonly path: string;
  readonly method: string;
  readonly operation: OpenAPIV3.OperationObject<Extensions>;
}

export const document = parse(readFileSync(definition.contract, 'utf8')) as OpenAPIV3.Document<Extensions>;

/** The path prefix: that of every server. */
export const basePath = new URL((document.servers?.[0]?.url ?? '').replace('{host}', 'localhost')).pathname;

export const operations: readonly OperationEntry[] = Object.entries(document.paths).flatMap(([path, item = {}]) =>
  Object.entries(item)
    .filter(([name]) => name !== 'parameters')
    .map(([method, operation]) => ({ path, method, operation }) as OperationEntry),
);

/** What a reference refers to, also in sequence; any other node itself. */
export function resolve<T extends object>(node: T | OpenAPIV3.ReferenceObject): T {
  return '$ref' in node ? resolve(findPlace(node.$ref.slice(1)) as T) : node;
}

/** The value at a JSON Pointer (RFC 6901) in the contract, through references; `undefined` if there is none. */
export function findPlace(pointer: string): unknown {
  const names = pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  return names.reduce<unknown>((node, name) => {
    const found = (node as Record<string, unknown> | undefined)?.[name];
    return typeof found === 'object' && found !== null ? resolve(found) : found;
  }, document);
}
