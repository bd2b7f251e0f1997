import { expect } from 'chai';
import type { OpenAPIV3 } from 'openapi-types';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import { type Answer, assertConforms } from '../support/contract/conformance.js';
import { requestsByExample, requestsByHeader, validRequests } from '../support/contract/example-errors.js';
import { sendInState } from '../support/contract/example-requests.js';

/** An example of the contract, with the operation that it belongs to. */
interface ContractExample {
  readonly place: string;
  readonly name: string;
  readonly value: unknown;
}

interface ResponseExample extends ContractExample {
  readonly status: number;
  /** The declared headers of the example, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

const { document } = await readContract(contractUrl);
/** Every resolved reference, to find unused components. */
const followed = new Set<string>();

const operations = Object.values(document.paths).flatMap((item) =>
  (['get', 'post'] as const).flatMap((method) => item?.[method] ?? []),
);
const requests = operations.flatMap(({ operationId = '', requestBody }) =>
  requestBody === undefined ? [] : examplesOf(operationId, resolve<OpenAPIV3.RequestBodyObject>(requestBody)),
);
const exampleResponses = [
  ...operations.flatMap(({ operationId = '', responses }) => responsesOf(operationId, responses)),
  ...responsesOf('no operation', document['x-service-responses']),
];
const parameters = document.components as { readonly parameters: Readonly<Record<string, OpenAPIV3.ParameterObject>> };
const headers = document.components as { readonly headers: Readonly<Record<string, { readonly example: unknown }>> };

describe('the examples of the contract', () => {
  for (const { place, name, value } of requests) {
    it(`${place} accepts the example request ${name}`, async () => {
      const answer = await sendInState('empty', { method: 'POST', target: '/v1/pets', body: JSON.stringify(value) });
      expect(answer.status).to.equal(201);
      expect(JSON.parse(answer.text)).to.deep.include(value);
    });
  }

  for (const { place, status, name, value, headers } of exampleResponses) {
    it(`${place} returns ${String(status)} exactly as in the example ${name}`, async () => {
      const valid = validRequests[place];
      const provocation = requestsByExample[`${place} ${name}`] ?? requestsByExample[name];
      if (valid === undefined || provocation === undefined) throw new Error(`There is no request for ${name}.`);
      const answer = await provocation(valid);
      assertConforms(valid.method ?? 'GET', valid.target, answer);
      expect({ status: answer.status, body: JSON.parse(answer.text) as unknown }).to.deep.equal({
        status,
        body: value,
      });
      expect(answer.headers).to.include(headers);
    });
  }

  for (const [name, { example }] of Object.entries(headers.headers)) {
    it(`the header ${name} is sent exactly as in its example`, async () => {
      const provocation = requestsByHeader[name];
      if (provocation === undefined) throw new Error(`There is no request for ${name}.`);
      expect(valuesOf(await provocation())).to.include(String(example));
    });
  }

  it('the examples of the parameters are accepted', async () => {
    const { Limit, Status, PetId, IdempotencyKey } = parameters.parameters;
    const listed = await sendInState('two animals', {
      target: `/v1/pets?limit=${String(Limit?.example)}&status=${String(Status?.example)}`,
    });
    expect(listed.status).to.equal(200);
    expect((await sendInState('two animals', { target: `/v1/pets/${String(PetId?.example)}` })).status).to.equal(200);
    const headers = { 'Idempotency-Key': String(IdempotencyKey?.example) };
    const creation = { method: 'POST', target: '/v1/pets', headers, body: '{"name":"Rex","categoryId":7}' };
    expect((await sendInState('empty', creation)).status).to.equal(201);
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
    expect(shared.filter((reference) => !followed.has(reference))).to.deep.equal([]);
  });

  it('every response with a body has an example', () => {
    const shown = new Set(exampleResponses.map(({ place, status }) => `${place} ${String(status)}`));
    const declared = operations.flatMap(({ operationId = '', responses }) =>
      Object.keys(responses).map((status) => `${operationId} ${status}`),
    );
    expect(declared.filter((answer) => !shown.has(answer))).to.deep.equal([]);
  });
});

function responsesOf(place: string, responses: OpenAPIV3.ResponsesObject): ResponseExample[] {
  return Object.entries(responses).flatMap(([status, node]) => {
    const response = resolve<OpenAPIV3.ResponseObject>(node);
    const examples = response.content?.['application/json']?.examples ?? {};
    return examplesOf(place, response).map((example) => ({
      ...example,
      status: Number(status),
      headers: headersOf(resolve<OpenAPIV3.ExampleObject>(examples[example.name] ?? {}), response),
    }));
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

function examplesOf(place: string, { content }: { content?: OpenAPIV3.ResponseObject['content'] }): ContractExample[] {
  return Object.entries(content?.['application/json']?.examples ?? {}).map(([name, example]) => ({
    place,
    name,
    value: resolve<OpenAPIV3.ExampleObject>(example).value as unknown,
  }));
}

function resolve<T extends object>(node: T | OpenAPIV3.ReferenceObject): T {
  if (!('$ref' in node)) return node;
  followed.add(node.$ref);
  const names = node.$ref.slice(2).split('/');
  return names.reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], document) as T;
}

function valuesOf({ headers: received }: Answer): string[] {
  return Object.values(received);
}
