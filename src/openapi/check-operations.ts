import type { OpenAPIV3 } from 'openapi-types';
import type { Schema } from './ajv-schema.js';
import type { Problem } from './contract-error.js';
import type { OperationExtensions } from './extensions.js';
import { isJson, mediaTypeOf } from './media-types.js';
import { operationsOf, resolve } from './operations.js';
import { isArraySchema, isObjectSchema } from './parse-text.js';

type Path = Problem['path'];
type Values = Readonly<Record<string, unknown>>;
type Parameter = OpenAPIV3.ParameterObject;
type Operation = OpenAPIV3.OperationObject<OperationExtensions>;

interface Entry {
  readonly path: Path;
  readonly template: string;
  readonly operation: Operation;
}

/** The names of openapi-backend's own handlers. */
const reserved =
  /^(?:404|405|501|400|notFound|methodNotAllowed|notImplemented|validationFail|unauthorizedHandler|(?:pre|post)\w+Handler)$/;

/** Finds what the server does not support in the operations of a document that is valid otherwise. */
export function checkOperations(document: OpenAPIV3.Document): Problem[] {
  const items = Object.entries((document.paths as OpenAPIV3.PathsObject | undefined) ?? {});
  const operations = operationsOf(document).map(
    ({ path: template, method, operation }): Entry => ({ path: ['paths', template, method], template, operation }),
  );
  if (operations.length === 0) return [{ path: ['paths'], message: 'The contract has no operations.' }];
  return [
    ...items.flatMap(([template, item]) => [
      ...checkTemplate(template),
      ...checkServers(['paths', template], item),
      ...checkParameters(document, ['paths', template], item?.parameters ?? []),
    ]),
    ...operations.flatMap(({ path, operation }) => [
      ...checkServers(path, operation),
      ...checkParameters(document, path, operation.parameters ?? []),
      ...checkBody(document, path, operation),
      ...checkResponses(path, operation),
      ...checkSecurity(document, path, operation),
      ...checkDeprecation(operations, path, operation),
      ...checkId(path, operation),
    ]),
    ...checkSecuritySchemes(document),
    ...checkAddressPlan(document as object as Values),
  ];
}

function checkTemplate(template: string): Problem[] {
  const mixed = template.split('/').find((segment) => /[{}]/.test(segment) && !/^\{[^{}]+\}$/.test(segment));
  const message =
    (mixed && `The path segment ${mixed} mixes text and a parameter; make the parameter a whole segment.`) ??
    (/[?#]/.test(template) ? `The path ${template} has a query; declare query parameters instead.` : undefined);
  return message === undefined ? [] : [{ path: ['paths', template], message }];
}

function checkServers(path: Path, node: { readonly servers?: unknown } | undefined): Problem[] {
  const message = 'Servers of a path or an operation are not supported; declare servers at the root.';
  return node?.servers === undefined ? [] : [{ path: [...path, 'servers'], message }];
}

function checkParameters(
  document: object,
  path: Path,
  parameters: readonly (Parameter | OpenAPIV3.ReferenceObject)[],
): Problem[] {
  return parameters.flatMap((node, index) => {
    const message = parameterProblem(document, resolve<Parameter>(document, node));
    return message === undefined ? [] : [{ path: [...path, 'parameters', index], message }];
  });
}

function parameterProblem(document: object, parameter: Parameter): string | undefined {
  const { name, in: place, style, explode, content, allowEmptyValue } = parameter;
  if (place === 'cookie') return `The cookie parameter ${name} is not supported; use a header.`;
  const schema = parameter.schema && resolve(document, parameter.schema as Schema);
  const isArray = isArraySchema(schema);
  const usual = place === 'query' ? 'form' : 'simple';
  const rules: readonly (readonly [isBroken: boolean, message: string])[] = [
    [place === 'path' && parameter.required !== true, 'is optional, which is not supported; add required: true.'],
    [content !== undefined, 'has content, which is not supported; use a schema.'],
    [allowEmptyValue === true, 'has allowEmptyValue, which is not supported; use an enum with "".'],
    [style !== undefined && style !== usual, `has the style ${String(style)}, which is not supported; use ${usual}.`],
    [isObjectSchema(schema), 'is an object, which is not supported; use a parameter for each field.'],
    [isArray && place !== 'query', 'is an array, which is supported in the query only.'],
    [isArray && explode === false, 'has explode: false, which is not supported; repeat the parameter.'],
  ];
  const [, message] = rules.find(([isBroken]) => isBroken) ?? [];
  return message && `The ${place} parameter ${name} ${message}`;
}

function checkBody(document: object, path: Path, { requestBody }: Operation): Problem[] {
  if (requestBody === undefined) return [];
  const types = Object.keys(resolve<OpenAPIV3.RequestBodyObject>(document, requestBody).content);
  const other = types.find((type) => !isJson(type));
  const message =
    other === undefined
      ? 'The body has several media types; declare one.'
      : `The body is ${mediaTypeOf(other)}, which is not supported; use application/json or another +json type.`;
  return types.length === 1 && other === undefined ? [] : [{ path: [...path, 'requestBody'], message }];
}

function checkResponses(path: Path, { responses = {} }: Partial<Operation>): Problem[] {
  const statuses = Object.keys(responses);
  if (statuses.length === 0) return [{ path, message: 'The operation has no responses; declare each status.' }];
  return statuses
    .filter((status) => /^[123]XX$/.test(status))
    .map((status) => ({
      path: [...path, 'responses', status],
      message: `The status range ${status} is not supported; declare each status.`,
    }));
}

function checkSecurity(document: OpenAPIV3.Document, path: Path, operation: Operation): Problem[] {
  const schemes = document.components?.securitySchemes ?? {};
  return [...(operation.security ?? []), ...(document.security ?? [])]
    .flatMap((requirement) => Object.keys(requirement))
    .filter((name) => !Object.hasOwn(schemes, name))
    .map((name) => ({ path: [...path, 'security'], message: `The security scheme ${name} is not declared.` }));
}

/** API keys in the query, in cookies, and client certificates have no place in the parameters of a request. */
function checkSecuritySchemes(document: OpenAPIV3.Document): Problem[] {
  return Object.entries(document.components?.securitySchemes ?? {})
    .map(([name, node]) => [name, resolve<OpenAPIV3.SecuritySchemeObject>(document, node)] as const)
    .filter(([, scheme]) => (scheme.type === 'apiKey' ? scheme.in !== 'header' : !authorization.includes(scheme.type)))
    .map(([name]) => {
      const message = `The credentials of ${name} are not sent in a header, which is not supported; use a header.`;
      return { path: ['components', 'securitySchemes', name], message };
    });
}

/** The types of security schemes whose credentials are sent in the header `Authorization`. */
const authorization = ['http', 'oauth2', 'openIdConnect'];

/** The URL of the successor is a header of every response: it must be the same for all of them, and stay valid. */
function checkDeprecation(operations: readonly Entry[], path: Path, operation: Operation): Problem[] {
  const { 'x-successor': successor } = operation;
  const days = (['x-deprecated-at', 'x-sunset'] as const).filter(
    (name) => operation[name] !== undefined && Number.isNaN(Date.parse(`${operation[name]}T00:00:00Z`)),
  );
  const problems = days.map((name) => ({ path: [...path, name], message: `${name} is not a day such as 2030-12-05.` }));
  if (successor === undefined) return problems;
  const found = operations.find((entry) => entry.operation.operationId === successor);
  const message =
    found === undefined
      ? `x-successor: the contract has no operation ${successor}.`
      : `x-successor: ${successor} is deprecated or has a path parameter.`;
  const isUsable = found?.operation.deprecated !== true && found?.template.includes('{') === false;
  return isUsable ? problems : [...problems, { path: [...path, 'x-successor'], message }];
}

/** A misspelled plan would not apply. */
function checkAddressPlan(document: Values): Problem[] {
  const { 'x-rate-limit-plans': plans = {}, 'x-rate-limit-address-plan': name } = document;
  if (name === undefined || typeof (plans as Values)[name as string] === 'object') return [];
  return [{ path: ['x-rate-limit-address-plan'], message: `${name as string} is not a plan with limits.` }];
}

function checkId(path: Path, { operationId: id = '' }: Operation): Problem[] {
  return reserved.test(id) ? [{ path: [...path, 'operationId'], message: `The operationId ${id} is reserved.` }] : [];
}
