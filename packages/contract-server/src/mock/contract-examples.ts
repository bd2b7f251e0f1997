import type { Operation } from 'openapi-backend';
import type { OpenAPIV3 } from 'openapi-types';
import { requestIdHeader } from '../http/request-context.js';
import type { ContractDocument } from '../openapi/document.js';
import { findJson } from '../openapi/media-types.js';
import { operationsOf, resolve } from '../openapi/operations.js';

type Headers = Readonly<Record<string, OpenAPIV3.HeaderObject>>;
type Example = OpenAPIV3.ExampleObject & { readonly 'x-headers'?: Readonly<Record<string, string | number>> };

/** The names of the examples of an operation by status, in ascending order. */
export function exampleNames(operation: Operation): ReadonlyMap<string, readonly string[]> {
  const statuses = Object.keys(operation.responses ?? {});
  return new Map(statuses.map((status) => [status, Object.keys(examplesOf(responseOf(operation, status)))]));
}

/**
 * The headers of an example: those that its `x-headers` lists, and the examples of the other headers that the response
 * requires. `X-Request-Id` is not among them: each response has that of its request.
 */
export function exampleHeaders(operation: Operation, status: string, example: string): Record<string, string> {
  const response = responseOf(operation, status);
  const listed = examplesOf(response)[example]?.['x-headers'] ?? {};
  const values: Record<string, string> = {};
  for (const [name, header] of Object.entries((response.headers ?? {}) as Headers)) {
    const value = listed[name] ?? (header.required === true ? (header.example as string | number) : undefined);
    if (value !== undefined && name.toLowerCase() !== requestIdHeader.toLowerCase()) values[name] = String(value);
  }
  return values;
}

/** The items of all examples that are arrays, each once. */
export function exampleItems(operation: Operation, status: string): readonly unknown[] {
  const items = Object.values(examplesOf(responseOf(operation, status))).flatMap(({ value }) => value as unknown);
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}

export function hasContent(operation: Operation, status: string): boolean {
  return responseOf(operation, status).content !== undefined;
}

function responseOf({ responses }: Operation, status: string): OpenAPIV3.ResponseObject {
  return (responses as Readonly<Record<string, OpenAPIV3.ResponseObject>>)[status] ?? { description: '' };
}

function examplesOf({ content }: OpenAPIV3.ResponseObject): Readonly<Record<string, Example>> {
  const [, media] = findJson(content) ?? [];
  // openapi-backend returns `example` for any name.
  const examples =
    media?.examples ?? (media?.example === undefined ? {} : { example: { value: media.example as unknown } });
  return examples as Readonly<Record<string, Example>>;
}

/**
 * A copy of the contract, to mock it: each operation has every status of its `default` response, and no rate limit.
 */
export function contractToMock(document: ContractDocument): ContractDocument {
  const copy = structuredClone(document);
  for (const { operation } of operationsOf(copy)) {
    const { default: node, ...declared } = operation.responses;
    Reflect.deleteProperty(operation, 'x-rate-limit');
    operation.responses = { ...(node && byStatus(resolve<OpenAPIV3.ResponseObject>(copy, node))), ...declared };
  }
  return copy;
}

/** One response for each example of an error response, by the status of the example. */
function byStatus(response: OpenAPIV3.ResponseObject): OpenAPIV3.ResponsesObject {
  const [type = '', media] = findJson(response.content) ?? [];
  const examples = Object.entries(examplesOf(response)).filter(([, { value }]) => statusOf(value) !== undefined);
  return Object.fromEntries(
    examples.map(([name, example]): [string, OpenAPIV3.ResponseObject] => [
      String(statusOf(example.value)),
      { ...response, content: { [type]: { ...media, examples: { [name]: example } } } },
    ]),
  );
}

function statusOf(value: unknown): number | undefined {
  return (value as { readonly status?: number } | null)?.status;
}
