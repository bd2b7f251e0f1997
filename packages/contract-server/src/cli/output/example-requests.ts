import { bodyRulesOf } from '@contract-server/core/bodies/request-body.js';
import type { Contract, Operation } from '@contract-server/core/contract/contract.js';
import { resolve } from '@contract-server/core/contract/json-pointer.js';
import { stringifyJson } from '@contract-server/core/json/exact-json.js';
import type { OpenAPIV3 } from 'openapi-types';

/** The first GET that needs no parameters, for a `curl` command. */
export function findExampleOperation({ operations }: Contract): Operation | undefined {
  return operations.find(
    ({ method, path, parameters }) =>
      method === 'get' && !path.includes('{') && !parameters.query.some(({ isRequired }) => isRequired),
  );
}

/** The path, below the path prefix, of the example operation; `/` if there is none. */
export function examplePath(contract: Contract): string {
  return findExampleOperation(contract)?.path ?? '/';
}

/**
 * The options of a `curl` command that sends the examples of the required fields; `undefined` if the path has no POST
 * with a body, or if an example is missing.
 */
export function exampleCreation(contract: Contract, path: string): string | undefined {
  const { document } = contract;
  const creation = contract.operations.find((operation) => operation.path === path && operation.method === 'post');
  const rules = creation === undefined ? [] : bodyRulesOf(contract, creation);
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
