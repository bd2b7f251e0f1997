import type { OpenAPIV3 } from 'openapi-types';
import { type ContractDocument, operationsOf, resolve } from '#src/openapi/document.js';
import { noOperation, type SeenResponses } from './seen-responses.js';

/** How often something that the contract declares was seen in a real answer. */
export interface Seen {
  readonly name: string;
  readonly times: number;
}

export interface CoveredStatus {
  readonly status: string;
  readonly times: number;
  /** Those that the contract declares for this status. */
  readonly headers: readonly Seen[];
}

export interface CoveredOperation {
  /** The operationId, or `noOperation`. */
  readonly name: string;
  /** `GET /pets`; what it stands for where there is no operation. */
  readonly call: string;
  readonly stability: string | undefined;
  readonly statuses: readonly CoveredStatus[];
}

/** What of the contract a run has seen the real server answer. */
export interface ContractCoverage {
  readonly operations: readonly CoveredOperation[];
  readonly codes: readonly Seen[];
}

export function coverageOf(document: ContractDocument, seen: SeenResponses): ContractCoverage {
  const coveredStatuses = (place: string, responses: OpenAPIV3.ResponsesObject) =>
    Object.entries(responses).map(([status, response]): CoveredStatus => {
      const answer = seen.answers.get(`${place} ${status}`);
      const declared = Object.keys(resolve<OpenAPIV3.ResponseObject>(document, response).headers ?? {});
      const headers = declared.map((name) => ({ name, times: answer?.headers.get(name.toLowerCase()) ?? 0 }));
      return { status, times: answer?.times ?? 0, headers };
    });
  const operations = operationsOf(document).map(({ path, method, operation }): CoveredOperation => {
    const { operationId: name = '', 'x-stability': stability, responses } = operation;
    return { name, call: `${method.toUpperCase()} ${path}`, stability, statuses: coveredStatuses(name, responses) };
  });
  const statuses = coveredStatuses(noOperation, document['x-service-responses']);
  const codes = Object.keys(document['x-error-codes']).map((name) => ({ name, times: seen.codes.get(name) ?? 0 }));
  return {
    operations: [...operations, { name: noOperation, call: 'x-service-responses', stability: undefined, statuses }],
    codes,
  };
}

/** What the contract declares and no answer has shown: `getPet 410`, `listPets 200: Link`, `error code not_ready`. */
export function missingFrom({ operations, codes }: ContractCoverage): string[] {
  const answers = operations.flatMap(({ name, statuses }) =>
    statuses.flatMap(({ status, times, headers }) =>
      times === 0
        ? [`${name} ${status}`]
        : headers.filter((header) => header.times === 0).map((header) => `${name} ${status}: ${header.name}`),
    ),
  );
  return [...answers, ...codes.filter(({ times }) => times === 0).map(({ name }) => `error code ${name}`)];
}
