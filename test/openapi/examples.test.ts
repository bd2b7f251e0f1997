import type { ReceivedResponse } from '@contract-server/test-support/clients/raw-connection.js';
import { expect } from 'chai';
import type { OpenAPIV3 } from 'openapi-types';
import {
  bodyExamplesOf,
  exampleValues,
  fullRequestTo,
  unknownPath,
  validRequestTo,
} from '../support/contract/contract-requests.js';
import { document, type OperationEntry, operations, resolve } from '../support/contract/document.js';
import {
  requestsByExample,
  requestsByHeader,
  type SentRequest,
  sendInState,
} from '../support/contract/example-requests.js';
import { assertConforms } from '../support/contract/own-conformance.js';

/** An example of a response, with the operation that it belongs to. */
interface ResponseExample {
  readonly place: string;
  readonly name: string;
  readonly value: unknown;
  readonly status: number;
  /** The declared headers of the example, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** In place of an operationId: the response that all operations declare as `default`. */
const anyOperation = 'default';
const exampleResponses = operations.flatMap((entry, index) => {
  const { default: shared, ...own } = entry.operation.responses;
  const examples = responsesOf(idOf(entry), own);
  return index > 0 || shared === undefined ? examples : [...examples, ...responsesOf(anyOperation, { shared })];
});
/** A valid request by operationId. */
const validRequests = new Map<string, SentRequest>([
  ...operations.map((entry) => [idOf(entry), validRequestTo(entry)] as const),
  [anyOperation, { target: unknownPath }],
]);
const headers = document.components as { readonly headers: Readonly<Record<string, { readonly example: unknown }>> };

describe('the examples of the contract', () => {
  for (const entry of operations) {
    it(`${idOf(entry)} accepts a request with the example of every parameter`, async () => {
      await expectSuccess(entry, fullRequestTo(entry));
    });

    for (const [name, value] of Object.entries(bodyExamplesOf(entry)))
      it(`${idOf(entry)} accepts the example request ${name}, and returns its fields`, async () => {
        const { status, text } = await expectSuccess(entry, {
          ...validRequestTo(entry),
          body: JSON.stringify(value),
        });
        const returned = fieldsOf(entry.operation.responses[String(status)]);
        const expected = Object.entries(value as object).filter(([field]) => returned.includes(field));
        if (expected.length > 0) expect(JSON.parse(text)).to.deep.include(Object.fromEntries(expected));
      });
  }

  for (const { place, status, name, value, headers } of exampleResponses)
    it(`${place} returns ${String(status)} exactly as in the example ${name}`, async () => {
      const valid = validRequests.get(place);
      const send =
        requestsByExample[`${place} ${name}`] ?? requestsByExample[name] ?? (status < 300 ? sendToTwoPets : undefined);
      if (valid === undefined || send === undefined)
        throw new Error(`example-requests.ts has no request for ${place} ${name}.`);
      const response = await send(valid);
      assertConforms(valid.method ?? 'GET', valid.target, response);
      expect({ status: response.status, body: JSON.parse(response.text) as unknown }).to.deep.equal({
        status,
        body: value,
      });
      expect(response.headers).to.include(headers);
    });

  for (const [name, { example }] of Object.entries(headers.headers))
    it(`the header ${name} is sent exactly as in its example`, async () => {
      const send = requestsByHeader[name];
      if (send === undefined) throw new Error(`example-requests.ts has no request for the header ${name}.`);
      expect(valuesOf(await send())).to.include(String(example));
    });

  it('an unknown route returns 503 with Retry-After, as the default response declares', async () => {
    const response = await sendInState('unavailable', { target: unknownPath });
    assertConforms('GET', unknownPath, response);
    expect(response).to.have.property('status', 503);
    expect(response.headers).to.include({ 'retry-after': '1' });
  });

  it('every example request of this test belongs to an example of the contract', () => {
    const shown = new Set(exampleResponses.flatMap(({ place, name }) => [name, `${place} ${name}`]));
    expect(Object.keys(requestsByExample).filter((name) => !shown.has(name))).to.deep.equal([]);
    expect(Object.keys(requestsByHeader)).to.have.members(Object.keys(headers.headers));
  });

  it('every shared example and response is used by an operation', () => {
    const shared = (['examples', 'responses'] as const).flatMap((kind) =>
      Object.keys((document.components as OpenAPIV3.ComponentsObject)[kind] ?? {}).map(
        (name) => `#/components/${kind}/${name}`,
      ),
    );
    const used = referencesIn(document.paths);
    expect(shared.filter((reference) => !used.has(reference))).to.deep.equal([]);
  });

  it('every field of a request body is in one of its examples, so that it is sent to the service', () => {
    const missing = operations.flatMap((entry) => {
      const shown = Object.values(bodyExamplesOf(entry)).flatMap((value) => Object.keys(value as object));
      return fieldsOf(entry.operation.requestBody).filter((field) => !shown.includes(field));
    });
    expect(missing).to.deep.equal([]);
  });

  it('every response with a body has an example', () => {
    const shown = new Set(exampleResponses.map(({ place, status }) => `${place} ${String(status)}`));
    const declared = operations.flatMap((entry) =>
      Object.entries(entry.operation.responses)
        .filter(([, response]) => resolve<OpenAPIV3.ResponseObject>(response).content !== undefined)
        .filter(([status]) => status !== 'default')
        .map(([status]) => `${idOf(entry)} ${status}`),
    );
    expect(declared.filter((name) => !shown.has(name))).to.deep.equal([]);
  });
});

function idOf({ operation }: OperationEntry): string {
  return operation.operationId ?? '';
}

function sendToTwoPets(sent: SentRequest): Promise<ReceivedResponse> {
  return sendInState('two pets', sent);
}

/** A reserved operation declares no success and returns 501. */
async function expectSuccess({ operation }: OperationEntry, sent: SentRequest): Promise<ReceivedResponse> {
  const response = await sendToTwoPets(sent);
  assertConforms(sent.method ?? '', sent.target, response);
  const successes = Object.keys(operation.responses).filter((status) => status.startsWith('2'));
  expect(successes.length === 0 ? ['501'] : successes, response.text).to.include(String(response.status));
  return response;
}

/** The fields of the body that a request or a response declares. */
function fieldsOf(
  declared: OpenAPIV3.RequestBodyObject | OpenAPIV3.ResponseObject | OpenAPIV3.ReferenceObject | undefined,
): string[] {
  const schema = declared && resolve(declared).content?.['application/json']?.schema;
  return Object.keys((schema && resolve(schema).properties) ?? {});
}

function responsesOf(place: string, responses: OpenAPIV3.ResponsesObject): ResponseExample[] {
  return Object.entries(responses).flatMap(([status, node]) => {
    const response = resolve<OpenAPIV3.ResponseObject>(node);
    const media = response.content?.['application/json'];
    return Object.entries(exampleValues(media)).map(([name, value]) => {
      const example = resolve<OpenAPIV3.ExampleObject>(media?.examples?.[name] ?? {});
      const { status: returned = Number(status) } = value as { readonly status?: number };
      return {
        place,
        name,
        value,
        status: typeof returned === 'number' ? returned : Number(status),
        headers: headersOf(example, response),
      };
    });
  });
}

function headersOf(
  example: OpenAPIV3.ExampleObject,
  { headers = {} }: OpenAPIV3.ResponseObject,
): Record<string, string> {
  const { 'x-headers': shown = {} } = example as { readonly 'x-headers'?: Readonly<Record<string, unknown>> };
  const declared = Object.entries(shown).filter(([name]) => name in headers);
  return Object.fromEntries(declared.map(([name, value]) => [name.toLowerCase(), String(value)]));
}

/** Every reference below a node, also those in what it refers to. */
function referencesIn(node: object, found = new Set<string>()): Set<string> {
  for (const [, reference = ''] of JSON.stringify(node).matchAll(/"\$ref":"([^"]+)"/g)) {
    if (found.has(reference)) continue;
    found.add(reference);
    referencesIn(resolve<object>({ $ref: reference }), found);
  }
  return found;
}

function valuesOf({ headers: received }: ReceivedResponse): string[] {
  return Object.values(received);
}
