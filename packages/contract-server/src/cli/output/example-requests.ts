import type { OpenAPIV3 } from 'openapi-types';
import { bodyRulesOf } from '../../bodies/request-body.js';
import type { ContractDocument } from '../../contract/document.js';
import { type OperationEntry, operationsOf, parametersIn, resolve } from '../../contract/operations.js';
import { stringifyJson } from '../../json/exact-json.js';

/** The first GET that needs no parameters, for a `curl` command. */
export function findExampleOperation(document: ContractDocument): OperationEntry | undefined {
  return operationsOf(document).find(
    (entry) =>
      entry.method === 'get' &&
      !entry.path.includes('{') &&
      !parametersIn('query', document, entry).some(({ required }) => required === true),
  );
}

/** The path, below the path prefix, of the example operation; `/` if there is none. */
export function examplePath(document: ContractDocument): string {
  return findExampleOperation(document)?.path ?? '/';
}

/**
 * The options of a `curl` command that sends the examples of the required fields; `undefined` if the path has no POST
 * with a body, or if an example is missing.
 */
export function exampleCreation(document: ContractDocument, path: string): string | undefined {
  const { operationId = '' } = document.paths[path]?.post ?? {};
  const rules = operationId === '' ? [] : bodyRulesOf(document, operationId);
  const rule = rules.find(({ kind }) => kind === 'json');
  if (rule === undefined) return undefined;
  const { properties = {}, required = [] } = resolve<OpenAPIV3.SchemaObject>(document, rule.schema);
  const exampleOf = (name: string) =>
    resolve<OpenAPIV3.SchemaObject>(document, properties[name] ?? {}).example as unknown;
  const body = Object.fromEntries(required.map((name) => [name, exampleOf(name)]));
  if (Object.values(body).includes(undefined)) return undefined;
  const quoted = stringifyJson(body).replaceAll("'", String.raw`'\''`);
  return `-H "Content-Type: ${rule.mediaType}" -d '${quoted}'`;
}
