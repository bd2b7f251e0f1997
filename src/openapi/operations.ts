import type { OpenAPIV3 } from 'openapi-types';
import type { OperationExtensions } from './extensions.js';
import { findAt } from './json-pointer.js';

type Method = `${OpenAPIV3.HttpMethods}`;
const methods: readonly Method[] = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

export interface OperationEntry {
  /** The path template below the path prefix. */
  readonly path: string;
  readonly method: Method;
  readonly operation: OpenAPIV3.OperationObject<OperationExtensions>;
}

/** The operations of a document; none without `paths`, which OpenAPI 3.1 does not require. */
export function operationsOf({ paths = {} }: Partial<OpenAPIV3.Document<OperationExtensions>>): OperationEntry[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item?.[method];
      return operation === undefined ? [] : [{ path, method, operation }];
    }),
  );
}

/** Resolves a reference to a component. @throws TypeError if the component does not exist. */
export function resolve<T extends object>(document: object, node: T | OpenAPIV3.ReferenceObject): T {
  if (!('$ref' in node)) return node;
  const found = findAt(document, node.$ref);
  if (found === undefined) throw new TypeError(`The contract has no ${node.$ref}.`);
  return resolve(document, found as T | OpenAPIV3.ReferenceObject);
}
