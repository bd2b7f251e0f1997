import type { OpenAPIV3 } from 'openapi-types';
import { type ContractDocument } from '#contract-server/openapi/document.js';
import { operationsOf, resolve } from '#contract-server/openapi/operations.js';
import { noOperation, type SeenResponses } from '#contract-server-test/support/contract/seen-responses.js';

/** Headers that shared responses declare for deprecated operations, by the reference to their component. */
const deprecationHeaders = ['Deprecation', 'Sunset', 'DeprecationLinks'].map((name) => `#/components/headers/${name}`);

/** What the contract declares: `getPet 410`, `getPet 410: link`, `default: allow`, `error code not_ready`. */
function declaredBy(document: ContractDocument): string[] {
  const operations = operationsOf(document).flatMap(({ operation }) => {
    const { operationId = '', deprecated = false, responses } = operation;
    const { default: _, ...own } = responses;
    return Object.entries(own).flatMap(([status, response]) =>
      namesOf(document, `${operationId} ${status}`, response, deprecated),
    );
  });
  const shared = operationsOf(document).flatMap(({ operation }) => operation.responses['default'] ?? []);
  const defaults = new Set(shared.flatMap((response) => namesOf(document, noOperation, response, false)));
  return [...operations, ...defaults, ...Object.keys(document['x-error-codes']).map((code) => `error code ${code}`)];
}

function namesOf(
  document: ContractDocument,
  name: string,
  response: OpenAPIV3.ReferenceObject | OpenAPIV3.ResponseObject,
  isDeprecated: boolean,
): string[] {
  const { headers = {} } = resolve<OpenAPIV3.ResponseObject>(document, response);
  const sent = Object.entries(headers).filter(
    ([, header]) => isDeprecated || !('$ref' in header && deprecationHeaders.includes(header.$ref)),
  );
  return [name, ...sent.map(([header]) => `${name}: ${header.toLowerCase()}`)];
}

/** What the contract declares and no response had. */
export function missingFrom(document: ContractDocument, seen: SeenResponses): string[] {
  return declaredBy(document).filter((name) => !seen.has(name));
}

/** A line for the terminal: how many statuses, headers and error codes of the contract were received. */
export function contractSummary(document: ContractDocument, seen: SeenResponses): string {
  const kinds = { statuses: /^\w+( \d+)?$/, headers: /: /, 'error codes': /^error code/ };
  const counts = Object.entries(kinds).map(([kind, pattern]) => {
    const declared = declaredBy(document).filter((name) => pattern.test(name));
    return `${String(declared.filter((name) => seen.has(name)).length)} of ${String(declared.length)} ${kind}`;
  });
  return `Contract coverage: ${counts.join(', ')}`;
}
