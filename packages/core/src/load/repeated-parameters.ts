import type { OpenAPIV3 } from 'openapi-types';
import type { Problem } from '../contract/contract-error.js';
import { resolve } from '../contract/json-pointer.js';
import { operationsOf } from '../contract/operations.js';

type Owner = Pick<OpenAPIV3.OperationObject, 'parameters'>;

/**
 * Removes parameters that a path or an operation declares again (OpenAPI 3.0.4, section 4.7.10.1), in place. The names
 * of headers are equal in any case.
 *
 * @returns a warning for each.
 */
export function removeRepeatedParameters(document: OpenAPIV3.Document): Problem[] {
  const removeFrom = (owner: Owner, path: Problem['path']): Problem[] => {
    const { parameters = [] } = owner;
    const declared = parameters.map((node) => resolve<OpenAPIV3.ParameterObject>(document, node));
    const keys = declared.map(({ name, in: place }) => `${place} ${place === 'header' ? name.toLowerCase() : name}`);
    const isRepeated = keys.map((key, index) => keys.lastIndexOf(key) !== index);
    if (!isRepeated.includes(true)) return [];
    owner.parameters = parameters.filter((_, index) => isRepeated[index] !== true);
    return declared.flatMap(({ name, in: place }, index): Problem[] => {
      const message = `The ${place} parameter ${name} is declared again; this declaration is ignored.`;
      return isRepeated[index] === true ? [{ path: [...path, 'parameters', index], message, isWarning: true }] : [];
    });
  };
  return [
    ...Object.entries(document.paths).flatMap(([path, item = {}]) => removeFrom(item, ['paths', path])),
    ...operationsOf(document).flatMap(({ path, method, operation }) => removeFrom(operation, ['paths', path, method])),
  ];
}
