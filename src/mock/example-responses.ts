import type { OpenAPIV3 } from 'openapi-types';
import { type Json, stringifyJson } from '../json/exact-json.js';
import type { Api } from '../openapi/create-api.js';
import { type ContractDocument, operationsOf } from '../openapi/document.js';
import type { OperationId } from '../openapi/types.js';

/** An answer as the examples of the contract have it. */
export interface MockAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json<unknown>;
}

type Headers = Readonly<Record<string, OpenAPIV3.HeaderObject>>;
type Example = OpenAPIV3.ExampleObject & { readonly 'x-headers'?: Readonly<Record<string, string | number>> };

/** What an operation answers that promises no success: it is reserved. */
const reservedStatus = '501';

/** The answers that the examples of a contract show. Addresses in their headers lead to the mock. */
export class MockAnswers {
  private readonly exampleOrigin: string;
  private url: string;

  constructor(private readonly api: Api) {
    this.exampleOrigin = originOf(api.definition.servers?.[0]);
    this.url = this.exampleOrigin;
  }

  /** Sets what clients call the mock, without the path prefix. Known at the latest when it listens. */
  locate(url: string): void {
    this.url = url;
  }

  /** The names of the examples of an operation by status, in ascending order. */
  namesOf(id: OperationId): ReadonlyMap<string, readonly string[]> {
    const responses = Object.entries(this.responsesOf(id));
    return new Map(responses.map(([status, response]) => [status, Object.keys(examplesOf(response))]));
  }

  /** The status of an operation that went well. */
  usualStatusOf(id: OperationId): string {
    return Object.keys(this.responsesOf(id)).find((status) => status.startsWith('2')) ?? reservedStatus;
  }

  /** @param example the first one if it is `undefined`. Status and example must be among those of `namesOf`. */
  answer(id: OperationId, code: string, example: string | undefined): MockAnswer {
    const options = { code: Number(code), ...(example === undefined ? {} : { example }) };
    const mocked: { readonly status: number; readonly mock?: unknown } = this.api.mockResponseForOperation(id, options);
    const response = this.responsesOf(id)[code];
    const examples = examplesOf(response);
    const { 'x-headers': shown } = examples[example ?? Object.keys(examples)[0] ?? ''] ?? {};
    return { status: mocked.status, headers: this.headersOf(response, shown), body: stringifyJson(mocked.mock) };
  }

  /** The headers that an answer must have; `id` is `undefined` for what belongs to no operation. */
  requiredHeaders(id: OperationId | undefined, status: number): Record<string, string> {
    const responses = id === undefined ? serviceResponsesOf(this.api.definition) : this.responsesOf(id);
    return this.headersOf(responses[String(status)]);
  }

  /** Examples of the required headers, and what an example shows of those that are declared. */
  private headersOf(
    response: OpenAPIV3.ResponseObject | undefined,
    shown: Example['x-headers'] = {},
  ): Record<string, string> {
    const declared = Object.entries((response?.headers ?? {}) as Headers);
    return Object.fromEntries(
      declared.flatMap(([name, { required, example }]) => {
        const value = shown[name] ?? (required === true ? (example as string | number) : undefined);
        return value === undefined ? [] : [[name, String(value).replaceAll(this.exampleOrigin, this.url)]];
      }),
    );
  }

  private responsesOf(id: OperationId): Readonly<Record<string, OpenAPIV3.ResponseObject>> {
    return (this.api.router.getOperation(id)?.responses ?? {}) as Record<string, OpenAPIV3.ResponseObject>;
  }
}

/**
 * The contract with the errors that belong to no operation declared at each that does not declare them itself, to be
 * mocked there too.
 */
export function withServiceErrors(document: ContractDocument): ContractDocument {
  const copy = structuredClone(document);
  const errors = Object.entries(copy['x-service-responses']).filter(([status]) => Number(status) >= 400);
  for (const { operation } of operationsOf(copy))
    operation.responses = { ...Object.fromEntries(errors), ...operation.responses };
  return copy;
}

function serviceResponsesOf(document: object): ContractDocument['x-service-responses'] {
  return (document as ContractDocument)['x-service-responses'];
}

function examplesOf(response: OpenAPIV3.ResponseObject | undefined): Readonly<Record<string, Example>> {
  return (response?.content?.['application/json']?.examples ?? {}) as Record<string, Example>;
}

/** The origin of a server of the contract, with the defaults of its variables. */
function originOf({ url, variables }: OpenAPIV3.ServerObject = { url: '' }): string {
  return new URL(url.replace(/\{([^{}]+)\}/g, (_, name: string) => variables?.[name]?.default ?? '')).origin;
}
