import type { ContractDocument } from '@contract-server/core/contract/document.js';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { ErrorResponseOptions } from 'contract-server/http/errors/error-responses.js';
import { startMock } from './composed.js';

/** A contract with an operation `GET /<name>` for each entry. */
export function contractOf(
  operations: Readonly<Record<string, object>>,
  { openapi = '3.1.0', schemas = {} }: { readonly openapi?: string; readonly schemas?: object } = {},
): ContractDocument {
  const paths = Object.entries(operations).map(([name, operation]) => [
    `/${name}`,
    { get: { operationId: name, ...operation } },
  ]);
  const info = { title: 'Mocked', version: '1.0.0' };
  const document = { openapi, info, paths: Object.fromEntries(paths) as object, components: { schemas } };
  return { ...document, 'x-error-codes': {} } as ContractDocument;
}

/** A successful response in JSON. */
export const jsonOf = (schema: object, more: object = {}) => ({
  responses: { 200: { description: 'JSON', content: { 'application/json': { schema, ...more } } } },
});

/** The mock of a contract that the tests of a suite share. */
export function useMockOf(...options: Parameters<typeof startMockOf>) {
  const mock = {} as Awaited<ReturnType<typeof startMockOf>>;
  before(async () => Object.assign(mock, await startMockOf(...options)));
  return mock;
}

/** Serves the mock of a contract. `send` sends a `GET` request. */
export async function startMockOf(document: ContractDocument, errors?: ErrorResponseOptions) {
  const mock = await startMock({ document, errors });
  const { port } = mock.server.address() as { readonly port: number };
  const send = async (path: string, prefer?: string, accept?: string) => {
    const headers = { Connection: 'close', ...(prefer && { Prefer: prefer }), ...(accept && { Accept: accept }) };
    const response = await fetch(`http://127.0.0.1:${String(port)}${path}`, { headers });
    const text = await response.text();
    return { status: response.status, type: response.headers.get('content-type'), text, headers: response.headers };
  };
  return { ...mock, send };
}

/** Validates a value with Ajv as its documentation shows it, independently of the library. */
export function errorsOf(document: ContractDocument, schema: object, value: unknown) {
  // Ajv divides doubles: by default, 19.99 is no multiple of 0.01.
  const options = { strict: false, validateSchema: false, multipleOfPrecision: 9 } as const;
  const ajv = document.openapi.startsWith('3.0') ? new Ajv(options) : new Ajv2020(options);
  addFormats.default(ajv);
  const components = document.components as object;
  const validate = ajv.compile({ allOf: [schema], components });
  return validate(value) ? [] : validate.errors;
}
