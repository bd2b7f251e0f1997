import { expect } from 'chai';
import type { OpenAPIV3 } from 'openapi-types';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import { type Answer, assertConforms } from '../support/conformance.js';
import { headerProvocations, provocations, validRequests } from './example-errors.js';
import { provoke } from './example-requests.js';

/** An example of the contract, with the place that shows it. */
interface ShownExample {
  readonly place: string;
  readonly name: string;
  readonly value: unknown;
}

interface ShownAnswer extends ShownExample {
  readonly status: number;
  /** What the example says of the headers that are declared where it is shown, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

const { document } = await readContract(contractUrl);
/** Every reference that was followed, to tell which components nobody shows. */
const followed = new Set<string>();

const operations = Object.values(document.paths).flatMap((item) =>
  (['get', 'post'] as const).flatMap((method) => item?.[method] ?? []),
);
const requests = operations.flatMap(({ operationId = '', requestBody }) =>
  requestBody === undefined ? [] : examplesOf(operationId, resolve<OpenAPIV3.RequestBodyObject>(requestBody)),
);
const answers = [
  ...operations.flatMap(({ operationId = '', responses }) => answersOf(operationId, responses)),
  ...answersOf('no operation', document['x-service-responses']),
];
const parameters = document.components as { readonly parameters: Readonly<Record<string, OpenAPIV3.ParameterObject>> };
const headers = document.components as { readonly headers: Readonly<Record<string, { readonly example: unknown }>> };

describe('the examples of the contract', () => {
  for (const { place, name, value } of requests) {
    it(`${place}: the request ${name} is taken as it stands`, async () => {
      const answer = await provoke('empty', { method: 'POST', target: '/v1/pets', body: JSON.stringify(value) });
      expect(answer.status).to.equal(201);
      expect(JSON.parse(answer.text)).to.deep.include(value);
    });
  }

  for (const { place, status, name, value, headers } of answers) {
    it(`${place} answers ${String(status)} ${name} exactly so`, async () => {
      const valid = validRequests[place];
      const provocation = provocations[`${place} ${name}`] ?? provocations[name];
      if (valid === undefined || provocation === undefined) throw new Error(`No provocation is known for ${name}.`);
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
    it(`the header ${name} is sent exactly so`, async () => {
      const provocation = headerProvocations[name];
      if (provocation === undefined) throw new Error(`No provocation is known for ${name}.`);
      expect(valuesOf(await provocation())).to.include(String(example));
    });
  }

  it('the parameters are taken as they stand', async () => {
    const { Limit, Status, PetId, IdempotencyKey } = parameters.parameters;
    const listed = await provoke('two animals', {
      target: `/v1/pets?limit=${String(Limit?.example)}&status=${String(Status?.example)}`,
    });
    expect(listed.status).to.equal(200);
    expect((await provoke('two animals', { target: `/v1/pets/${String(PetId?.example)}` })).status).to.equal(200);
    const headers = { 'Idempotency-Key': String(IdempotencyKey?.example) };
    const creation = { method: 'POST', target: '/v1/pets', headers, body: '{"name":"Rex","categoryId":7}' };
    expect((await provoke('empty', creation)).status).to.equal(201);
  });

  it('are provoked, each of them, and nothing else is', () => {
    const shown = new Set(answers.flatMap(({ place, name }) => [name, `${place} ${name}`]));
    expect(Object.keys(provocations).filter((name) => !shown.has(name))).to.deep.equal([]);
    expect(Object.keys(headerProvocations)).to.have.members(Object.keys(headers.headers));
  });

  it('stand nowhere unseen: every example and response that is shared is shown by an operation', () => {
    const shared = (['examples', 'responses'] as const).flatMap((kind) =>
      Object.keys((document.components as OpenAPIV3.ComponentsObject)[kind] ?? {}).map(
        (name) => `#/components/${kind}/${name}`,
      ),
    );
    expect(shared.filter((reference) => !followed.has(reference))).to.deep.equal([]);
  });

  it('leave no answer with a body without one', () => {
    const shown = new Set(answers.map(({ place, status }) => `${place} ${String(status)}`));
    const declared = operations.flatMap(({ operationId = '', responses }) =>
      Object.keys(responses).map((status) => `${operationId} ${status}`),
    );
    expect(declared.filter((answer) => !shown.has(answer))).to.deep.equal([]);
  });
});

function answersOf(place: string, responses: OpenAPIV3.ResponsesObject): ShownAnswer[] {
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

function examplesOf(place: string, { content }: { content?: OpenAPIV3.ResponseObject['content'] }): ShownExample[] {
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
