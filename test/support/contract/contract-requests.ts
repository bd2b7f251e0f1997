import type { OpenAPIV3 } from 'openapi-types';
import { basePath, document, type OperationEntry, operations, resolve } from './document.js';
import type { SentRequest } from './example-requests.js';

/**
 * No operation can ever have these: config/redocly.yaml allows neither underscores nor capital letters in a path, and
 * OpenAPI 3.0 does not know the method. For an operationId, the tests use one with a blank.
 */
export const unknownPath = '/v1/No_Such_Path';
export const unknownMethod = 'PROPFIND';

/** The media type of every body. */
const json = 'application/json';

/** A valid request to an operation, with the examples of its path, its required parameters and its body. */
export function validRequestTo(entry: OperationEntry): SentRequest {
  return requestWith(entry, ({ required }) => required === true);
}

/** A valid request to an operation, with every parameter that has an example. */
export function fullRequestTo(entry: OperationEntry): SentRequest {
  return requestWith(entry, ({ example }) => example !== undefined);
}

/** The examples of a request body by name; empty if the operation has none. */
export function bodyExamplesOf(entry: OperationEntry): Readonly<Record<string, unknown>> {
  const { requestBody } = entry.operation;
  return exampleValues(requestBody && resolve<OpenAPIV3.RequestBodyObject>(requestBody).content[json]);
}

/** The parameters of an operation and of its path in one place of a request. */
function parametersIn(place: string, { path, operation }: OperationEntry): OpenAPIV3.ParameterObject[] {
  return [...(document.paths[path]?.parameters ?? []), ...(operation.parameters ?? [])]
    .map((parameter) => resolve<OpenAPIV3.ParameterObject>(parameter))
    .filter((parameter) => parameter.in === place);
}

/** The values of the examples of a body by name. */
export function exampleValues(media: OpenAPIV3.MediaTypeObject | undefined): Readonly<Record<string, unknown>> {
  const examples = Object.entries(media?.examples ?? {});
  return Object.fromEntries(
    examples.map(([name, example]) => [name, resolve<OpenAPIV3.ExampleObject>(example).value as unknown]),
  );
}

function requestWith(entry: OperationEntry, isSent: (parameter: OpenAPIV3.ParameterObject) => boolean): SentRequest {
  const { path, method } = entry;
  const examplesIn = (place: string) =>
    parametersIn(place, entry)
      .filter(isSent)
      .map(({ name, example }) => [name, example] as const);
  const filledPath = examplesIn('path').reduce(
    (filled, [name, example]) => filled.replace(`{${name}}`, encodeURIComponent(String(example))),
    path,
  );
  const query = new URLSearchParams(
    examplesIn('query').flatMap(([name, example]) =>
      [example].flat().map((value): [string, string] => [name, String(value)]),
    ),
  ).toString();
  const [body] = Object.values(bodyExamplesOf(entry));
  return {
    method: method.toUpperCase(),
    target: `${basePath}${filledPath}${query === '' ? '' : `?${query}`}`,
    headers: {
      ...Object.fromEntries(examplesIn('header').map(([name, example]) => [name, String(example)])),
      ...(body !== undefined && { 'Content-Type': json }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
}

/** The value of `Allow` for a path of the contract. */
export function allowedMethods(path: string): string {
  const declared = operations.filter((entry) => entry.path === path).map(({ method }) => method.toUpperCase());
  const implied = declared.includes('GET') ? ['HEAD', 'OPTIONS'] : ['OPTIONS'];
  return [...declared, ...implied].sort().join(', ');
}
