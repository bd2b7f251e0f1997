import { Validator } from '@seriousme/openapi-schema-validator';
import { checkOperations } from './check-operations.js';
import { checkSchemas } from './check-schemas.js';
import { ContractError, formatProblem, type Problem } from './contract-error.js';
import { extensionErrors } from './extensions.js';
import type { ReadDocument } from './read-document.js';
import { describeDeepest } from './schema-errors.js';

/** The maximum number of mistakes that are reported at a time. */
const problemsMax = 20;

const validator = new Validator({ allErrors: true });

/**
 * Checks that a document conforms to OpenAPI 3.0 or 3.1, and that the server supports everything in it.
 *
 * @throws ContractError with a line for each mistake.
 */
export async function checkContract({ document, locate }: ReadDocument): Promise<void> {
  // Each step relies on the one before.
  let problems = await checkDocument(document);
  if (problems.length === 0) problems = checkSchemas(document);
  if (problems.length === 0) problems = checkOperations(document);
  if (problems.length === 0) return;
  const lines = problems.map(({ path, message }) =>
    formatProblem(locate(path), message, operationIdAt(document, path)),
  );
  throw new ContractError([...new Set(lines)].slice(0, problemsMax).join('\n'));
}

/** The operation that contains a mistake. */
function operationIdAt(document: unknown, [first, ...names]: Problem['path']): string | undefined {
  if (first !== 'paths') return undefined;
  const [path = '', method = ''] = names.map(String);
  const operation = (document as Paths).paths?.[path]?.[method];
  if (method === 'parameters' || operation === undefined) return names.length === 0 ? undefined : path;
  return operation.operationId ?? `${method.toUpperCase()} ${path}`;
}

interface Paths {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, { readonly operationId?: string }>>>>;
}

/** By the schema of OpenAPI, and those of the extensions. */
async function checkDocument(document: object): Promise<Problem[]> {
  const { openapi = 'of no version' } = document as { readonly openapi?: string };
  if (!/^3\.[01]\.\d+$/.test(openapi)) {
    const message = `OpenAPI ${openapi} is not supported; use 3.0 or 3.1.`;
    return [{ path: ['openapi'], message }];
  }
  const { errors = [] } = await validator.validate(structuredClone(document) as never);
  const found = Array.isArray(errors) ? describeDeepest(errors) : [];
  return found.length > 0 ? found : describeDeepest(extensionErrors(document));
}
