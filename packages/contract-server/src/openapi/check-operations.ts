import type { OpenAPIV3 } from 'openapi-types';
import type { Problem } from './contract-error.js';
import type { Schema } from './exact-number.js';
import type { OperationExtensions } from './extensions.js';
import { isJson, mediaTypeOf } from './media-types.js';
import { type OperationEntry, operationsOf, resolve } from './operations.js';
import { ownPaths } from './own-paths.js';
import { allowsType } from './parse-text.js';
import { basePathOf, urlOf } from './servers.js';

type Path = Problem['path'];
type Values = Readonly<Record<string, unknown>>;
type Parameter = OpenAPIV3.ParameterObject;
type Item = readonly [template: string, item: OpenAPIV3.PathItemObject | undefined];
type Problems = (Problem & { readonly cause: object })[];
type Operation = OpenAPIV3.OperationObject<OperationExtensions>;

/** The names of openapi-backend's own handlers. */
const reserved =
  /^(?:404|405|501|400|notFound|methodNotAllowed|notImplemented|validationFail|unauthorizedHandler|(?:pre|post)\w+Handler)$/;

/**
 * Finds what the server does not support in the operations of a document that is valid otherwise.
 *
 * @param isService whether a service is created from it; otherwise, only the requests of its operations are validated.
 */
export function checkOperations(document: OpenAPIV3.Document, isService = true): Problem[] {
  const items = Object.entries((document.paths as OpenAPIV3.PathsObject | undefined) ?? {});
  const operations = operationsOf(document);
  const serverProblems = isService ? checkServerUrls(document) : [];
  const problems = [
    ...serverProblems,
    ...items.flatMap(([template, item = {}]) => [
      ...problem(['paths', template], templateProblem(template)),
      ...checkParameters(document, ['paths', template], item),
    ]),
    ...operations.flatMap(({ path: template, method, operation }) => {
      const path: Path = ['paths', template, method];
      const { operationId: id = '' } = operation;
      return [
        ...checkParameters(document, path, operation),
        ...checkBody(document, path, operation),
        ...problem([...path, 'operationId'], reserved.test(id) && `The operationId ${id} is reserved.`),
      ];
    }),
    ...(isService && serverProblems.length === 0 ? checkService(document, items, operations) : []),
  ];
  // Of the problems of a component, the first remains.
  return [...new Map(problems.map((each) => [each.cause, each] as const).reverse()).values()];
}

/** Finds what a service does not support, although its requests can be validated. */
function checkService(document: OpenAPIV3.Document, items: readonly Item[], operations: readonly OperationEntry[]) {
  return [
    ...items.flatMap(([template, item = {}]) => [
      ...problem(['paths', template], ownPathProblem(document, template)),
      ...checkServers(['paths', template], item),
      ...checkCookies(document, ['paths', template], item),
    ]),
    ...operations.flatMap(({ path: template, method, operation }) => {
      const path: Path = ['paths', template, method];
      return [
        ...checkServers(path, operation),
        ...checkCookies(document, path, operation),
        ...checkResponses(path, operation),
        ...checkSuccessor(operations, path, operation),
      ];
    }),
    ...checkSecuritySchemes(document, operations),
    ...checkAddressPlan(document as object as Values),
  ];
}

/** @param cause the component that a reference leads to: its problem is reported for the first reference only. */
function problem(path: Path, message: string | false | undefined, cause = {}): Problems {
  return message === undefined || message === false ? [] : [{ path, message, cause }];
}

function ownPathProblem(document: OpenAPIV3.Document, template: string): string | undefined {
  if (basePathOf(document) !== '' || !(Object.values(ownPaths) as string[]).includes(template)) return undefined;
  return `The path ${template} is used by the server itself; add a path prefix to the URL in servers.`;
}

function templateProblem(template: string): string | undefined {
  if (template.includes('#')) return 'The path has a fragment, which no client sends; remove it.';
  const mixed = template.split('/').find((segment) => /[{}]/.test(segment) && !/^\{[^{}]+\}$/.test(segment));
  return mixed && `The path segment ${mixed} mixes text and a parameter; make the parameter a whole segment.`;
}

function checkServers(path: Path, { servers }: { readonly servers?: unknown }): Problems {
  const message = 'Servers of a path or an operation are not supported; declare servers at the root.';
  return problem([...path, 'servers'], servers !== undefined && message);
}

function checkServerUrls({ servers = [] }: OpenAPIV3.Document): Problems {
  const isValid = (server: OpenAPIV3.ServerObject) => URL.canParse(urlOf(server), 'http://localhost');
  return servers.flatMap((server, index) =>
    problem(['servers', index, 'url'], !isValid(server) && `The URL ${urlOf(server)} of the server is invalid.`),
  );
}

function checkParameters(document: object, path: Path, { parameters = [] }: OpenAPIV3.PathItemObject): Problems {
  return parameters.flatMap((node, index) => {
    const parameter = resolve<Parameter>(document, node);
    return problem([...path, 'parameters', index], parameterProblem(document, parameter), parameter);
  });
}

function checkCookies(document: object, path: Path, { parameters = [] }: OpenAPIV3.PathItemObject): Problems {
  return parameters.flatMap((node, index) => {
    const parameter = resolve<Parameter>(document, node);
    const message = `The cookie parameter ${parameter.name} is not supported; use a header.`;
    return problem([...path, 'parameters', index], parameter.in === 'cookie' && message, parameter);
  });
}

function parameterProblem(document: object, parameter: Parameter): string | undefined {
  const { name, in: place, style, explode, content, allowEmptyValue } = parameter;
  const schema = parameter.schema as Schema | undefined;
  const isArray = allowsType('array', document, schema);
  const usual = place === 'query' || place === 'cookie' ? 'form' : 'simple';
  const rules: readonly (readonly [isBroken: boolean, message: string])[] = [
    [place === 'path' && parameter.required !== true, 'is optional, which is not supported; add required: true.'],
    [content !== undefined, 'has content, which is not supported; use a schema.'],
    [allowEmptyValue === true, 'has allowEmptyValue, which is not supported; use an enum with "".'],
    [style !== undefined && style !== usual, `has the style ${String(style)}, which is not supported; use ${usual}.`],
    [allowsType('object', document, schema), 'is an object, which is not supported; use a parameter for each field.'],
    [isArray && place !== 'query', 'is an array, which is supported in the query only.'],
    [isArray && explode === false, 'has explode: false, which is not supported; repeat the parameter.'],
  ];
  const [, message] = rules.find(([isBroken]) => isBroken) ?? [];
  return message && `The ${place} parameter ${name} ${message}`;
}

function checkBody(document: object, path: Path, { requestBody }: Operation): Problems {
  if (requestBody === undefined) return [];
  const body = resolve<OpenAPIV3.RequestBodyObject>(document, requestBody);
  const types = Object.keys(body.content);
  const other = types.find((type) => !isJson(type));
  const message =
    other === undefined
      ? types.length !== 1 && `The body has ${types.length === 0 ? 'no' : 'several'} media types; declare one.`
      : `The body is ${mediaTypeOf(other)}, which is not supported; declare only application/json or a +json type.`;
  return problem([...path, 'requestBody'], message, body);
}

function checkResponses(path: Path, { responses = {} }: Partial<Operation>): Problems {
  const statuses = Object.keys(responses);
  if (statuses.length === 0) return problem(path, 'The operation has no responses; declare each status.');
  const ranges = statuses.filter((status) => /^[123]XX$/.test(status));
  const messageOf = (range: string) => `The status range ${range} is not supported; declare each status.`;
  return ranges.flatMap((range) => problem([...path, 'responses', range], messageOf(range)));
}

/**
 * API keys in the query, in cookies, and client certificates have no place in the parameters of a request. Schemes that
 * no operation requires are not used.
 */
function checkSecuritySchemes(document: OpenAPIV3.Document, operations: readonly OperationEntry[]): Problems {
  const requirements = operations.flatMap(({ operation }) => operation.security ?? document.security ?? []);
  const used = new Set(requirements.flatMap(Object.keys));
  return Object.entries(document.components?.securitySchemes ?? {})
    .filter(([name]) => used.has(name))
    .map(([name, node]) => [name, resolve<OpenAPIV3.SecuritySchemeObject>(document, node)] as const)
    .filter(([, scheme]) => (scheme.type === 'apiKey' ? scheme.in !== 'header' : !authorization.includes(scheme.type)))
    .flatMap(([name]) => {
      const message = `The credentials of ${name} are not sent in a header, which is not supported; use a header.`;
      return problem(['components', 'securitySchemes', name], message);
    });
}

/** The types of security schemes whose credentials are sent in the header `Authorization`. */
const authorization = ['http', 'oauth2', 'openIdConnect'];

/** The URL of the successor is a header of every response: it must be the same for all of them, and stay valid. */
function checkSuccessor(operations: readonly OperationEntry[], path: Path, { 'x-successor': id }: Operation): Problems {
  const found = operations.find(({ operation }) => operation.operationId === id);
  const isUsable = found?.operation.deprecated !== true && found?.path.includes('{') === false;
  if (id === undefined || isUsable) return [];
  const reason =
    found === undefined ? `the contract has no operation ${id}` : `${id} is deprecated or has a path parameter`;
  return problem([...path, 'x-successor'], `x-successor: ${reason}.`);
}

/** A misspelled plan would not apply. */
function checkAddressPlan(document: Values): Problems {
  const { 'x-rate-limit-plans': plans = {}, 'x-rate-limit-address-plan': name } = document;
  const isLimited = name === undefined || typeof (plans as Values | null)?.[name as string] === 'object';
  return problem(['x-rate-limit-address-plan'], !isLimited && `${name as string} is not a plan with limits.`);
}
