import { type Command, Option } from 'commander';
import type { OpenAPIV3 } from 'openapi-types';
import { createAjv } from '../openapi/create-ajv.js';
import { type ContractDocument, parametersOf, requireOperation, resolve } from '../openapi/document.js';
import type { OperationId, OperationRequest } from '../openapi/types.js';
import { describeErrors } from '../openapi/validation-messages.js';

type Place = 'path' | 'query';

/** What error messages call a parameter. */
const subjects: Readonly<Record<Place, string>> = { path: 'Argument', query: 'Option' };

/** Adds an option for each query parameter of an operation. */
export function addQueryOptions(command: Command, document: ContractDocument, id: OperationId): Command {
  for (const { name, description, schema = {} } of parametersIn('query', document, id)) {
    const option = new Option(`--${name} <${name}>`, description);
    const { enum: choices } = resolve<OpenAPIV3.SchemaObject>(document, schema);
    command.addOption(choices === undefined ? option : option.choices(choices.map(String)));
  }
  return command;
}

/**
 * Validates the text of parameters as a request with them, and returns their values, with the defaults of the contract.
 *
 * @throws CommanderError
 */
export function parseParameters<Id extends OperationId, P extends Place>(
  command: Command,
  document: ContractDocument,
  id: Id,
  place: P,
  texts: Readonly<Record<string, unknown>>,
): OperationRequest<Id>[P] {
  const parameters = parametersIn(place, document, id);
  const properties = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]));
  const validate = createAjv(true, false).compile({
    type: 'object',
    properties: { [subjects[place]]: { type: 'object', properties } },
    components: document.components,
  });
  const given = parameters.filter(({ name }) => texts[name] !== undefined);
  const values = Object.fromEntries(given.map(({ name }) => [name, texts[name]]));
  if (!validate({ [subjects[place]]: values })) command.error(`error: ${describeErrors(validate.errors ?? [])}`);
  // The contract declares these parameters, and the values are valid.
  return values as OperationRequest<Id>[P];
}

function parametersIn(place: Place, document: ContractDocument, id: OperationId): OpenAPIV3.ParameterObject[] {
  return parametersOf(document, requireOperation(document, id)).filter((parameter) => parameter.in === place);
}
