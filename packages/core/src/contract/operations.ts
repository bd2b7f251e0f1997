import type { OpenAPIV3 } from 'openapi-types';
import type { OperationExtensions } from './extensions.js';
import { resolve } from './json-pointer.js';
import type { ParameterPlace } from './parameters.js';

export type Method = `${OpenAPIV3.HttpMethods}`;
export const methods: readonly Method[] = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

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

/** The headers that OpenAPI describes elsewhere: parameters with their names are ignored (3.0.4, section 4.7.12). */
export const ignoredHeaders: readonly string[] = ['accept', 'authorization', 'content-type'];

/**
 * The parameters of an operation and of its path in one place of a request. Those of the operation take precedence. The
 * names of headers are in lower case.
 */
export function parametersIn(
  place: ParameterPlace,
  document: OpenAPIV3.Document<OperationExtensions>,
  { path, operation }: Pick<OperationEntry, 'path' | 'operation'>,
): readonly OpenAPIV3.ParameterObject[] {
  const isHeader = place === 'header';
  const parameters = [...(document.paths[path]?.parameters ?? []), ...(operation.parameters ?? [])]
    .map((parameter) => resolve<OpenAPIV3.ParameterObject>(document, parameter))
    .filter((parameter) => parameter.in === place)
    .map((parameter) => (isHeader ? { ...parameter, name: parameter.name.toLowerCase() } : parameter))
    .filter(({ name }) => !isHeader || !ignoredHeaders.includes(name));
  return [...new Map(parameters.map((parameter) => [parameter.name, parameter])).values()];
}
