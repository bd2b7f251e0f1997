import type { OpenAPIV3 } from 'openapi-types';
import type { Schema } from './ajv-schema.js';
import type { Problem } from './contract-error.js';
import type { OperationExtensions } from './extensions.js';
import { isJson, mediaTypeOf } from './media-types.js';
import { type OperationEntry, operationsOf, resolve } from './operations.js';
import { isArraySchema, isObjectSchema } from './parse-text.js';

type Path = Problem['path'];
type Values = Readonly<Record<string, unknown>>;
type Parameter = OpenAPIV3.ParameterObject;
type Operation = OpenAPIV3.OperationObject<OperationExtensions>;

/** The names of openapi-backend's own handlers. */
const reserved =
  /^(?:404|405|501|400|notFound|methodNotAllowed|notImplemented|validationFail|unauthorizedHandler|(?:pre|post)\w+Handler)$/;

/** Finds what the server does not support in the operations of a document that is valid otherwise. */
export function checkOperations(document: OpenAPIV3.Document): Problem[] {
  const items = Object.entries((document.paths as OpenAPIV3.PathsObject | undefined) ?? {});
  const operations = operationsOf(document);
  if (operations.length === 0) return problem(['paths'], 'The contract has no operations.');
  return [
    ...items.flatMap(([template, item = {}]) => [
      ...problem(['paths', template], templateProblem(template)),
      ...checkServers(['paths', template], item),
      ...checkParameters(document, ['paths', template], item),
    ]),
    ...operations.flatMap(({ path: template, method, operation }) => {
      const path: Path = ['paths', template, method];
      const { operationId: id = '' } = operation;
      return [
        ...checkServers(path, operation),
        ...checkParameters(document, path, operation),
        ...problem([...path, 'requestBody'], bodyProblem(document, operation)),
        ...checkResponses(path, operation),
        ...checkSecurity(document, path, operation),
        ...checkDeprecation(operations, path, operation),
        ...problem([...path, 'operationId'], reserved.test(id) && `The operationId ${id} is reserved.`),
      ];
    }),
    ...checkSecuritySchemes(document),
    ...checkAddressPlan(document as object as Values),
  ];
}

function problem(path: Path, message: string | false | undefined): Problem[] {
  return message === undefined || message === false ? [] : [{ path, message }];
}

function templateProblem(template: string): string | undefined {
  const mixed = template.split('/').find((segment) => /[{}]/.test(segment) && !/^\{[^{}]+\}$/.test(segment));
  if (mixed !== undefined)
    return `The path segment ${mixed} mixes text and a parameter; make the parameter a whole segment.`;
  return /[?#]/.test(template) ? `The path ${template} has a query; declare query parameters instead.` : undefined;
}

function checkServers(path: Path, { servers }: { readonly servers?: unknown }): Problem[] {
  const message = 'Servers of a path or an operation are not supported; declare servers at the root.';
  return problem([...path, 'servers'], servers !== undefined && message);
}

function checkParameters(document: object, path: Path, { parameters = [] }: OpenAPIV3.PathItemObject): Problem[] {
  return parameters.flatMap((node, index) =>
    problem([...path, 'parameters', index], parameterProblem(document, resolve<Parameter>(document, node))),
  );
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

function bodyProblem(document: object, { requestBody }: Operation): string | undefined {
  if (requestBody === undefined) return undefined;
  const types = Object.keys(resolve<OpenAPIV3.RequestBodyObject>(document, requestBody).content);
  const other = types.find((type) => !isJson(type));
  if (other !== undefined)
    return `The body is ${mediaTypeOf(other)}, which is not supported; use application/json or another +json type.`;
  return types.length === 1
    ? undefined
    : `The body has ${types.length === 0 ? 'no' : 'several'} media types; declare one.`;
}

function checkResponses(path: Path, { responses = {} }: Partial<Operation>): Problem[] {
  const statuses = Object.keys(responses);
  if (statuses.length === 0) return problem(path, 'The operation has no responses; declare each status.');
  const ranges = statuses.filter((status) => /^[123]XX$/.test(status));
  const messageOf = (range: string) => `The status range ${range} is not supported; declare each status.`;
  return ranges.flatMap((range) => problem([...path, 'responses', range], messageOf(range)));
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

function checkDeprecation(operations: readonly OperationEntry[], path: Path, operation: Operation): Problem[] {
  const { 'x-successor': successor } = operation;
  const days = (['x-deprecated-at', 'x-sunset'] as const).filter(
    (name) => operation[name] !== undefined && Number.isNaN(Date.parse(`${operation[name]}T00:00:00Z`)),
  );
  return [
    ...days.flatMap((name) => problem([...path, name], `${name} is not a day such as 2030-12-05.`)),
    ...problem([...path, 'x-successor'], successor !== undefined && successorProblem(operations, successor)),
  ];
}

/** The URL of the successor is a header of every response: it must be the same for all of them, and stay valid. */
function successorProblem(operations: readonly OperationEntry[], id: string): string | undefined {
  const found = operations.find(({ operation }) => operation.operationId === id);
  if (found === undefined) return `x-successor: the contract has no operation ${id}.`;
  const isUsable = found.operation.deprecated !== true && !found.path.includes('{');
  return isUsable ? undefined : `x-successor: ${id} is deprecated or has a path parameter.`;
}

/** A misspelled plan would not apply. */
function checkAddressPlan(document: Values): Problem[] {
  const { 'x-rate-limit-plans': plans = {}, 'x-rate-limit-address-plan': name } = document;
  const isLimited = name === undefined || typeof (plans as Values)[name as string] === 'object';
  return problem(['x-rate-limit-address-plan'], !isLimited && `${name as string} is not a plan with limits.`);
}
