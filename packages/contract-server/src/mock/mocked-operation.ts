import type { Contract, Operation } from '@contract-server/core/contract/contract.js';
import type { ContractDocument } from '@contract-server/core/contract/document.js';
import { resolve } from '@contract-server/core/contract/json-pointer.js';
import { operationsOf } from '@contract-server/core/contract/operations.js';
import { rangeOf } from '@contract-server/core/contract/responses.js';
import { schemasOf } from '@contract-server/core/contract/schemas.js';
import { Negotiation } from '@contract-server/core/responses/negotiation.js';
import type { OpenAPIV3 } from 'openapi-types';
import { type Compile, examplesOf, MockedResponse } from './mocked-response.js';

/** An operation, as the mock serves it. */
export class MockedOperation {
  readonly id: string;
  /** By what the contract declares: a status, a range such as `2XX`, or `default`. */
  readonly responses: ReadonlyMap<string, MockedResponse>;
  readonly queryParameters: readonly string[];
  readonly negotiation: Negotiation;
  /** The `default` response, if its examples are responses of their own. */
  private readonly fallback: MockedResponse | undefined;
  /** Whether the contract has an error for cursors that it has not issued. Those of other contracts can be any text. */
  readonly rejectsCursors: boolean;

  /** @param compile as for `MockedResponse`. */
  constructor(
    { document, schemas }: Contract,
    { id, parameters, responses, declaration }: Operation,
    compile: Compile,
  ) {
    this.id = id;
    this.negotiation = new Negotiation({ responses });
    this.rejectsCursors = 'invalid_cursor' in document['x-error-codes'];
    this.queryParameters = parameters.query.map(({ name }) => name);
    const mock = (status: string, response: OpenAPIV3.ResponseObject) =>
      new MockedResponse(schemas, `${id} ${status}`, response, compile);
    const declared = [...responses.declared].filter(([status]) => !status.startsWith('1'));
    this.responses = new Map(declared.map(([status, response]) => [status, mock(status, response.declaration)]));
    const { [fallbackName]: node } = declaration.responses;
    this.fallback = node && mock('default', schemas.resolve<OpenAPIV3.ResponseObject>(node));
  }

  /**
   * The status of the first declared success: of a range, its first one; 200 for `default`, if there is nothing else.
   * `undefined` for an operation without one.
   */
  findSuccess(): number | undefined {
    const declared = [...this.responses.keys()];
    const forms = [/^2\d\d$/, /^2XX$/, /^3\d\d$/, /^3XX$/];
    const [first] = forms.flatMap((form) => declared.filter((each) => form.test(each)));
    if (first !== undefined) return statusOf(first);
    return declared.every((each) => each === 'default') ? 200 : undefined;
  }

  /** The response for a status: its own, that of its range, or `default`; beside others, that is for errors. */
  find(status: number): MockedResponse | undefined {
    const own = this.responses.get(String(status)) ?? this.responses.get(rangeOf(status));
    return own ?? (status >= 400 || this.responses.size === 1 ? this.responses.get('default') : undefined);
  }

  /** The response for an error, also of a status for which `default` has no example. */
  findError(status: number): MockedResponse | undefined {
    return this.find(status) ?? this.fallback;
  }
}

/** Where the mocked contract keeps the `default` response whose examples are responses of their own. */
const fallbackName = 'x-mock-default';

/** The status with which a declared response is sent. */
export function statusOf(declared: string): number {
  return declared === 'default' ? 500 : Number(declared.replaceAll('X', '0'));
}

/**
 * A copy of a document, to mock it: each operation has every status of the examples of its `default` response, and no
 * rate limit.
 */
export function documentToMock(document: ContractDocument): ContractDocument {
  const copy = structuredClone(document);
  for (const { operation } of operationsOf(copy)) {
    const { default: node, ...declared } = operation.responses as Partial<OpenAPIV3.ResponsesObject>;
    Reflect.deleteProperty(operation, 'x-rate-limit');
    if (node === undefined) continue;
    const listed = byStatus(copy, resolve<OpenAPIV3.ResponseObject>(copy, node));
    // What has no example of its own still has the shape of the others.
    const others = Object.keys(listed).length === 0 ? { default: node } : { ...listed, [fallbackName]: node };
    operation.responses = { ...others, ...declared };
  }
  return copy;
}

/** One response for each example of an error response, by the status of the example. */
function byStatus(document: ContractDocument, response: OpenAPIV3.ResponseObject): OpenAPIV3.ResponsesObject {
  const [type = '', media = {}] = Object.entries(response.content ?? {})[0] ?? [];
  const entries = [...examplesOf(schemasOf(document), media)].flatMap(([name, example]) => {
    const { status } = Object(example.value) as { readonly status?: unknown };
    const isStatus = Number.isInteger(status) && Number(status) >= 400 && Number(status) <= 599;
    const content = { [type]: { ...media, examples: { [name]: example } } };
    return isStatus ? [[String(status), { ...response, content }] as const] : [];
  });
  return Object.fromEntries(entries);
}
