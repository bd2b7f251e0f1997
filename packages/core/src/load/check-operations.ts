import type { OpenAPIV3 } from 'openapi-types';
import { bodyProblem, unenforcedBody } from '../bodies/body-problem.js';
import type { Problem } from '../contract/contract-error.js';
import type { OperationExtensions } from '../contract/extensions.js';
import { resolve } from '../contract/json-pointer.js';
import { contentProblem } from '../contract/media-types.js';
import { type OperationEntry, operationsOf } from '../contract/operations.js';
import { ownPaths, replacedPathsOf } from '../contract/own-paths.js';
import { segmentProblem } from '../contract/path-segments.js';
import { shapeOf } from '../contract/path-templates.js';
import { schemasOf } from '../contract/schemas.js';
import { requirementsOf } from '../contract/security.js';
import { basePathOf, prefixOf, unservedPrefixesOf, urlOf } from '../contract/servers.js';
import { memberOf } from '../json/object-members.js';
import { isToken } from '../lib/header-text.js';
import { parameterProblem } from '../parameters/parameter-problem.js';
import { credentialsProblem } from './credentials-problem.js';

type Path = Problem['path'];
type Values = Readonly<Record<string, unknown>>;
type Item = readonly [template: string, item: OpenAPIV3.PathItemObject | undefined];
type Problems = (Problem & { readonly cause: object })[];
type Operation = OpenAPIV3.OperationObject<OperationExtensions>;

/** The names of openapi-backend's own handlers. */
const reserved =
  /^(?:404|405|501|400|notFound|methodNotAllowed|notImplemented|validationFail|unauthorizedHandler|(?:pre|post)\w+Handler)$/;

/** Finds what the server does not support in the operations of a document that is valid otherwise. */
export function checkOperations(document: OpenAPIV3.Document): Problem[] {
  const items = Object.entries((document.paths as OpenAPIV3.PathsObject | undefined) ?? {});
  const operations = operationsOf(document);
  const serverProblems = checkAllServers(document, items, operations);
  const problems = [
    ...serverProblems,
    ...(serverProblems.length === 0 ? checkSamePaths(document, operations) : []),
    ...items.flatMap(([template, item = {}]) => [
      ...checkTemplate(template),
      ...checkParameters(document, ['paths', template], item),
    ]),
    ...operations.flatMap(({ path: template, method, operation }) => {
      const path: Path = ['paths', template, method];
      const { operationId: id = '' } = operation;
      return [
        ...checkParameters(document, path, operation),
        ...checkBody(document, path, operation),
        ...checkResponses(document, path, operation),
        ...problem([...path, 'operationId'], reserved.test(id) && `The operationId ${id} is reserved.`),
      ];
    }),
    ...(serverProblems.length === 0 ? checkService(document, operations) : []),
  ];
  // Of the problems of a component, the first remains.
  return [...new Map(problems.map((each) => [each.cause, each] as const).reverse()).values()];
}

/** Finds what is not supported beyond parameters and bodies, in operations with valid servers. */
function checkService(document: OpenAPIV3.Document, operations: readonly OperationEntry[]) {
  const replacedPaths = replacedPathsOf(
    operations.map((entry) => ({ prefix: prefixOf(document, entry), path: entry.path })),
  );
  return [
    ...operations.flatMap((entry) => {
      const { path: template, method, operation } = entry;
      const path: Path = ['paths', template, method];
      return [
        ...checkOwnPaths(document, entry, replacedPaths),
        ...checkSecurity(document, path, operation),
        ...checkSuccessor(operations, path, operation),
      ];
    }),
    ...checkAddressPlan(document as object as Values),
    ...checkSchemes(document, operations),
  ];
}

/** @param cause the component that a reference leads to: its problem is reported for the first reference only. */
function problem(path: Path, message: string | false | undefined, cause = {}): Problems {
  return message === undefined || message === false ? [] : [{ path, message, cause }];
}

/** The contract takes precedence over the paths of the server itself. */
function checkOwnPaths(
  document: OpenAPIV3.Document,
  { path, operation }: OperationEntry,
  replacedPaths: ReadonlySet<string>,
): Problems {
  const served = `${prefixOf(document, { path, operation })}${path}`;
  if (!replacedPaths.has(served)) return [];
  const isCheck = served === ownPaths.liveness || served === ownPaths.readiness;
  const others = isCheck
    ? 'the health check is served on METRICS_PORT only'
    : "the server's own response at this path is not served";
  const message = `The path ${served} is served by the contract; ${others}.`;
  return problem(['paths', path], message, document.paths[path]).map((each) => ({ ...each, isWarning: true }));
}

function checkTemplate(template: string): Problems {
  const [message] = template
    .split('/')
    .map(segmentProblem)
    .filter((each) => each !== undefined);
  const fragment = 'Clients must send the # of the path as %23; unescaped, it ends the path.';
  const fragments = problem(['paths', template], template.includes('#') && fragment);
  return [
    ...problem(['paths', template], message),
    ...fragments.map((each) => ({ ...each, isWarning: true as const })),
  ];
}

/**
 * Finds operations with the same method and path: path templates that differ only in the names of parameters, which
 * OpenAPI forbids (3.0.4, section 4.7.8.1), or whose servers lead to the same path.
 */
function checkSamePaths(document: OpenAPIV3.Document, operations: readonly OperationEntry[]): Problems {
  const served = new Map<string, OperationEntry>();
  return operations.flatMap((entry) => {
    const { path, method, operation } = entry;
    const url = `${method.toUpperCase()} ${prefixOf(document, entry)}${path}`;
    const other = served.get(shapeOf(url));
    served.set(shapeOf(url), other ?? entry);
    const message = `${url} has the same path as ${other?.operation.operationId ?? other?.path ?? ''}; keep one of them.`;
    return problem(['paths', path, method], other !== undefined && message, operation);
  });
}

function checkAllServers(document: OpenAPIV3.Document, items: readonly Item[], operations: readonly OperationEntry[]) {
  return [
    ...checkServerUrls([], document),
    ...items.flatMap(([template, item = {}]) => checkServerUrls(['paths', template], item)),
    ...operations.flatMap(({ path, method, operation }) => checkServerUrls(['paths', path, method], operation)),
  ];
}

function checkServerUrls(
  path: Path,
  { servers = [] }: { readonly servers?: readonly OpenAPIV3.ServerObject[] },
): Problems {
  const isValid = (server: OpenAPIV3.ServerObject) => URL.canParse(urlOf(server), 'http://localhost');
  const invalid = servers.flatMap((server, index) =>
    problem(
      [...path, 'servers', index, 'url'],
      !isValid(server) && `The URL ${urlOf(server)} of the server is invalid.`,
    ),
  );
  if (invalid.length > 0) return invalid;
  const unserved = unservedPrefixesOf({ servers });
  const served = basePathOf({ servers }) || '/';
  const message = `The operations are served below ${served} only, not below ${unserved.map((each) => each || '/').join(', ')}.`;
  return problem([...path, 'servers'], unserved.length > 0 && message).map((each) => ({ ...each, isWarning: true }));
}

function checkParameters(
  document: OpenAPIV3.Document,
  path: Path,
  { parameters = [] }: OpenAPIV3.PathItemObject,
): Problems {
  return parameters.flatMap((node, index) => {
    const parameter = resolve<OpenAPIV3.ParameterObject>(document, node);
    return problem([...path, 'parameters', index], parameterProblem(schemasOf(document), parameter), parameter);
  });
}

function checkBody(document: OpenAPIV3.Document, path: Path, { requestBody }: Operation): Problems {
  if (requestBody === undefined) return [];
  const body = resolve<OpenAPIV3.RequestBodyObject>(document, requestBody);
  const at = [...path, 'requestBody'];
  const unenforced = unenforcedBody(schemasOf(document), body);
  return [
    ...problem(at, bodyProblem(body), body),
    ...problem(at, unenforced, body.content).map((each) => ({ ...each, isWarning: true as const })),
  ];
}

/** Checks that each key is a status, and that each media type can be sent in a header. */
function checkResponses(document: OpenAPIV3.Document, path: Path, { responses = {} }: Partial<Operation>): Problems {
  const usage = 'use a status such as 200, a range such as 2XX, or default';
  return Object.entries(responses).flatMap(([key, node]) => {
    const at = [...path, 'responses', key];
    if (key.startsWith('x-')) return [];
    if (!/^(?:[1-5](?:\d\d|XX)|default)$/.test(key)) return problem(at, `\`${key}\` is not a status; ${usage}.`);
    const response = resolve<OpenAPIV3.ResponseObject>(document, node);
    return [...problem(at, contentProblem(response.content), response), ...checkHeaders(at, response)];
  });
}

function checkHeaders(path: Path, { headers = {} }: OpenAPIV3.ResponseObject): Problems {
  return Object.entries(headers).flatMap(([name, header]) => {
    const message = `The header ${name} has a name that cannot be sent; use another one.`;
    return problem(path, !isToken(name) && message, header).map((each) => ({ ...each, isWarning: true as const }));
  });
}

/** No request satisfies a requirement with a client certificate; others can take its place. */
function checkSecurity(document: OpenAPIV3.Document, path: Path, operation: Operation): Problems {
  const { security = document.security ?? [] } = operation;
  const message =
    'The operation requires a client certificate (mutualTLS), which is not supported; add an alternative.';
  const isUnmet = security.length > 0 && requirementsOf(document, operation).length === 0;
  return problem(operation.security === undefined ? ['security'] : [...path, 'security'], isUnmet && message, security);
}

/** The URL of the successor is a header of every response: it must be the same for all of them, and stay valid. */
function checkSuccessor(operations: readonly OperationEntry[], path: Path, { 'x-successor': id }: Operation): Problems {
  const found = operations.find(({ operation }) => operation.operationId === id);
  const isUsable = found?.operation.deprecated !== true && found?.path.includes('{') === false;
  if (id === undefined || isUsable) return [];
  const reason =
    found === undefined ? `the contract has no operation ${id}` : `${id} is deprecated or has a path parameter`;
  return problem([...path, 'x-successor'], `x-successor: ${reason}.`);
}

/** The credentials of every request would be missing. A scheme that nothing requires does not matter. */
function checkSchemes(document: OpenAPIV3.Document, operations: readonly OperationEntry[]): Problems {
  const owners = [{}, ...operations.map(({ operation }) => operation)];
  const requirements = owners.flatMap((owner) => requirementsOf(document, owner));
  const names = new Set(requirements.flatMap((requirement) => Object.keys(requirement)));
  return [...names].flatMap((name) => {
    const { [name]: node } = document.components?.securitySchemes ?? {};
    const scheme = node && resolve<OpenAPIV3.SecuritySchemeObject>(document, node);
    return problem(['components', 'securitySchemes', name], scheme && credentialsProblem(scheme));
  });
}

/** A misspelled plan would not apply. */
function checkAddressPlan(document: Values): Problems {
  const { 'x-rate-limit-plans': plans = {}, 'x-rate-limit-address-plan': name } = document;
  const isLimited = name === undefined || typeof memberOf(plans, name as string) === 'object';
  return problem(['x-rate-limit-address-plan'], !isLimited && `${name as string} is not a plan with limits.`);
}
