import type { OpenAPIV3 } from 'openapi-types';
import type { Problem } from './contract-error.js';
import { resolve } from './json-pointer.js';
import { operationsOf } from './operations.js';

type Path = Problem['path'];
type Owner = Pick<OpenAPIV3.OperationObject, 'parameters'>;

/**
 * Makes the path parameters of each operation those of its path template, in place: one that is not declared becomes a
 * string, and one that the template does not have is removed, because no request has it.
 *
 * @returns a warning for each.
 */
export function completePathParameters(document: OpenAPIV3.Document): Problem[] {
  const warnings: Problem[] = [];
  const warn = (path: Path, message: string) => void warnings.push({ path, message, isWarning: true });
  const parametersOf = ({ parameters = [] }: Owner) =>
    parameters.map((node) => resolve<OpenAPIV3.ParameterObject>(document, node));
  const removeUnused = (owner: Owner, template: string, path: Path) => {
    const isUnused = parametersOf(owner).map(
      ({ in: place, name }) => place === 'path' && !template.includes(`{${name}}`),
    );
    if (!isUnused.includes(true)) return;
    parametersOf(owner).forEach(({ name }, index) => {
      const message = `The path ${template} has no parameter {${name}}; the declaration is ignored.`;
      if (isUnused[index] === true) warn([...path, 'parameters', index], message);
    });
    owner.parameters = owner.parameters?.filter((_, index) => isUnused[index] !== true) ?? [];
  };
  for (const [template, item] of Object.entries(document.paths))
    if (item !== undefined) removeUnused(item, template, ['paths', template]);
  for (const { path: template, method, operation } of operationsOf(document)) {
    const path = ['paths', template, method];
    removeUnused(operation, template, path);
    const declared = [...parametersOf(document.paths[template] ?? {}), ...parametersOf(operation)];
    const names = declared.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
    for (const [, name = ''] of template.matchAll(/\{([^{}]+)\}/g)) {
      if (names.includes(name)) continue;
      warn(path, `The path parameter {${name}} is not declared; any text is valid.`);
      (operation.parameters ??= []).push({ name, in: 'path', required: true, schema: { type: 'string' } });
    }
  }
  return warnings;
}

/** A path template without the names of its parameters. Templates of one shape match the same paths. */
export function shapeOf(template: string): string {
  return template.replace(/\{[^{}]+\}/g, '{}');
}
