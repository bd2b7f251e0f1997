import type { OpenAPIV3 } from 'openapi-types';
import type { Problem } from '../contract/contract-error.js';
import { operationsOf } from '../contract/operations.js';

/** The operationId of an operation that declares none, or that of another one. */
export function defaultIdOf(method: string, path: string): string {
  return `${method.toUpperCase()} ${path}`;
}

/**
 * Replaces the operationIds that another operation has, in place: handlers and types need one name for each operation,
 * and OpenAPI requires it (3.0.4, section 4.7.10.1).
 *
 * @returns a warning for each.
 */
export function replaceRepeatedIds(document: OpenAPIV3.Document): Problem[] {
  const first = new Map<string, string>();
  return operationsOf(document).flatMap(({ path, method, operation }): Problem[] => {
    const { operationId: id } = operation;
    if (id === undefined) return [];
    const other = first.get(id);
    const own = defaultIdOf(method, path);
    first.set(id, other ?? own);
    if (other === undefined) return [];
    operation.operationId = own;
    const at = ['paths', path, method, 'operationId'];
    const message = `The operationId ${id} is also that of ${other}; this operation is called \`${own}\`.`;
    return [{ path: at, message, isWarning: true }];
  });
}
