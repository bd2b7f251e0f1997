import { type Command, Option } from 'commander';
import type { OpenAPIV3 } from 'openapi-types';
import { createAjv } from '../openapi/create-ajv.js';
import { type ContractDocument, parametersOf, requireOperation, resolve } from '../openapi/document.js';
import type { OperationId, OperationRequest } from '../openapi/types.js';
import { describeErrors } from '../openapi/validation-messages.js';

type ParameterLocation = 'path' | 'query';

/** How error messages refer to a parameter, in place of its location in the JSON pointer of an error. */
const prefixes: Readonly<Record<ParameterLocation, string>> = { path: '/Argument/', query: '/Option/--' };

/**
 * Adds an option for each query parameter of an operation.
 *
 * @param descriptions replace those of the contract that do not apply to a command.
 */
export function addQueryOptions(
  command: Command,
  document: ContractDocument,
  id: OperationId,
  descriptions: Readonly<Record<string, string>> = {},
): Command {
  for (const { name, description, schema = {} } of parametersIn('query', document, id)) {
    const option = new Option(`--${name} <${name}>`, descriptions[name] ?? description);
    const { enum: choices } = resolve<OpenAPIV3.SchemaObject>(document, schema);
    command.addOption(choices === undefined ? option : option.choices(choices.map(String)));
  }
  return command;
}

/**
 * Validates parameters given as text, as the service does for a request, and returns their values with the defaults of
 * the contract.
 *
 * @throws CommanderError
 */
export function parseParameters<Id extends OperationId, P extends ParameterLocation>(
  command: Command,
  document: ContractDocument,
  id: Id,
  location: P,
  texts: Readonly<Record<string, unknown>>,
): OperationRequest<Id>[P] {
  const parameters = parametersIn(location, document, id);
  const properties = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]));
  const validate = createAjv(true, false).compile({
    type: 'object',
    properties: { [location]: { type: 'object', properties } },
    components: document.components,
  });
  const given = parameters.filter(({ name }) => texts[name] !== undefined);
  const values = Object.fromEntries(given.map(({ name }) => [name, texts[name]]));
  if (!validate({ [location]: values })) {
    const errors = (validate.errors ?? []).map((error) => ({
      ...error,
      instancePath: error.instancePath.replace(`/${location}/`, prefixes[location]),
    }));
    command.error(`error: ${describeErrors(errors)}`);
  }
  // The contract declares these parameters, and the values are valid.
  return values as OperationRequest<Id>[P];
}

function parametersIn(
  location: ParameterLocation,
  document: ContractDocument,
  id: OperationId,
): OpenAPIV3.ParameterObject[] {
  return parametersOf(document, requireOperation(document, id)).filter((parameter) => parameter.in === location);
}
