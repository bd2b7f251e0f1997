import type { OpenAPIV3 } from 'openapi-types';
import { type ContractDocument, operationsOf, resolve } from '#src/openapi/document.js';
import { documents, noOperation, type SeenResponses } from './seen-responses.js';

/** How often the server has returned a header or an error code that the contract declares. */
export interface Seen {
  readonly name: string;
  readonly times: number;
}

export interface CoveredStatus {
  readonly status: string;
  readonly times: number;
  /** The headers that the contract declares for this status. */
  readonly headers: readonly Seen[];
}

export interface CoveredOperation {
  /** The operationId, `noOperation` or `documents`. */
  readonly name: string;
  /** `GET /pets`, or the name of the extension. */
  readonly call: string;
  readonly stability: string | undefined;
  readonly statuses: readonly CoveredStatus[];
}

/** The statuses, headers and error codes that the contract declares, with how often the server returned them. */
export interface ContractCoverage {
  readonly operations: readonly CoveredOperation[];
  readonly codes: readonly Seen[];
}

export function coverageOf(document: ContractDocument, seen: SeenResponses): ContractCoverage {
  const coveredStatuses = (place: string, responses: OpenAPIV3.ResponsesObject) =>
    Object.entries(responses).map(([status, response]): CoveredStatus => {
      const received = `${place} ${status}`;
      const declared = Object.keys(resolve<OpenAPIV3.ResponseObject>(document, response).headers ?? {});
      const headers = declared.map((name) => ({ name, times: seen.get(`${received}: ${name.toLowerCase()}`) ?? 0 }));
      return { status, times: seen.get(received) ?? 0, headers };
    });
  const operations = operationsOf(document).map(({ path, method, operation }): CoveredOperation => {
    const { operationId: name = '', 'x-stability': stability, responses } = operation;
    return { name, call: `${method.toUpperCase()} ${path}`, stability, statuses: coveredStatuses(name, responses) };
  });
  const withoutOperation = (name: string, call: 'x-service-responses' | 'x-document-responses') => {
    return { name, call, stability: undefined, statuses: coveredStatuses(name, document[call]) };
  };
  const codes = Object.keys(document['x-error-codes']).map((name) => {
    return { name, times: seen.get(`error code ${name}`) ?? 0 };
  });
  return {
    operations: [
      ...operations,
      withoutOperation(noOperation, 'x-service-responses'),
      withoutOperation(documents, 'x-document-responses'),
    ],
    codes,
  };
}

/** What the contract declares and no response had: `getPet 410`, `listPets 200: Link`, `error code not_ready`. */
export function missingFrom({ operations, codes }: ContractCoverage): string[] {
  const missing = operations.flatMap(({ name, statuses }) =>
    statuses.flatMap(({ status, times, headers }) =>
      times === 0
        ? [`${name} ${status}`]
        : headers.filter((header) => header.times === 0).map((header) => `${name} ${status}: ${header.name}`),
    ),
  );
  return [...missing, ...codes.filter(({ times }) => times === 0).map(({ name }) => `error code ${name}`)];
}
