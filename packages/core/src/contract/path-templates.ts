import type { OpenAPIV3 } from 'openapi-types';
import type { Problem } from './contract-error.js';
import { resolve } from './json-pointer.js';
import { operationsOf, parametersIn } from './operations.js';

type Path = Problem['path'];
type Owner = Pick<OpenAPIV3.OperationObject, 'parameters'>;
type Reference<Node> = Node | OpenAPIV3.ReferenceObject;

/**
 * Makes the path parameters of each operation those of its path template, in place: one that is not declared becomes a
 * string, and one that the template does not have is removed, because no request has it.
 *
 * @returns a warning for each.
 */
export function completePathParameters(document: OpenAPIV3.Document): Problem[] {
  const operations = operationsOf(document);
  return [
    ...Object.entries(document.paths).flatMap(([template, item = {}]) =>
      removeUnused(document, item, template, ['paths', template]),
    ),
    ...operations.flatMap(({ path: template, method, operation }) => {
      const path = ['paths', template, method];
      const unused = removeUnused(document, operation, template, path);
      return [...unused, ...declareMissing(document, operation, template, path)];
    }),
  ];
}

function removeUnused(document: OpenAPIV3.Document, owner: Owner, template: string, path: Path): Problem[] {
  const { parameters = [] } = owner;
  const isUnused = (node: Reference<OpenAPIV3.ParameterObject>) => {
    const { in: place, name } = resolve<OpenAPIV3.ParameterObject>(document, node);
    return place === 'path' && !template.includes(`{${name}}`);
  };
  if (!parameters.some(isUnused)) return [];
  owner.parameters = parameters.filter((node) => !isUnused(node));
  return parameters.flatMap((node, index) => {
    const { name } = resolve<OpenAPIV3.ParameterObject>(document, node);
    const message = `The path ${template} has no parameter {${name}}; the declaration is ignored.`;
    return isUnused(node) ? [{ path: [...path, 'parameters', index], message, isWarning: true }] : [];
  });
}

function declareMissing(
  document: OpenAPIV3.Document,
  operation: OpenAPIV3.OperationObject,
  template: string,
  path: Path,
): Problem[] {
  const names = parametersIn('path', document, { path: template, operation }).map(({ name }) => name);
  const missing = [...template.matchAll(/\{([^{}]+)\}/g)].flatMap(([, name = '']) =>
    names.includes(name) ? [] : [name],
  );
  return [...new Set(missing)].map((name) => {
    const declared = { name, in: 'path', required: true, schema: { type: 'string' } } as const;
    (operation.parameters ??= []).push(declared);
    return { path, message: `The path parameter {${name}} is not declared; any text is valid.`, isWarning: true };
  });
}

/** A path template without the names of its parameters. Templates of one shape match the same paths. */
export function shapeOf(template: string): string {
  return template.replace(/\{[^{}]+\}/g, '{}');
}
