import type { OpenAPIV3 } from 'openapi-types';
import { countMax } from '../lib/count-max.js';
import { oncePer } from '../lib/once-per.js';
import type { Deployment } from './deployment.js';
import { addressPlanOf, type BanRule, banRuleOf, type ContractDocument, type Plans, plansOf } from './document.js';
import type { OperationExtensions, OperationLimit } from './extensions.js';
import { resolve } from './json-pointer.js';
import { type Method, type OperationEntry, operationsOf, parametersIn } from './operations.js';
import { type Parameter, type ParameterPlace, parameterOf } from './parameters.js';
import { Responses } from './responses.js';
import { type Schemas, schemasOf } from './schemas.js';
import { keyPrefixesOf, requirementsOf, type SecuritySchemeObject } from './security.js';
import { basePathOf, prefixOf } from './servers.js';

/** A contract, compiled once from its checked document. Other modules read it in place of the document. */
export interface Contract {
  /** The OpenAPI document. */
  readonly document: ContractDocument;
  readonly schemas: Schemas;
  /** The path prefix of the operations, such as `/v1`; '' without one. Operations can have another one. */
  readonly prefix: string;
  readonly operations: readonly Operation[];
  readonly byId: ReadonlyMap<string, Operation>;
  readonly securitySchemes: ReadonlyMap<string, SecuritySchemeObject>;
  /** The security requirements of requests that match no operation. */
  readonly requirements: readonly OpenAPIV3.SecurityRequirementObject[];
  /** The prefixes of API keys, by environment. */
  readonly keyPrefixes: Readonly<Record<string, string>>;
  readonly plans: Plans;
  /** The name of the plan whose minute limits client addresses. */
  readonly addressPlan: string;
  readonly banRule: BanRule;
  readonly deployment: Deployment;
}

/** An operation of a contract. */
export interface Operation {
  readonly id: string;
  readonly method: Method;
  /** The path template below the prefix. */
  readonly path: string;
  /** The path prefix; '' without one. */
  readonly prefix: string;
  /** Those of the operation and of its path, by place. */
  readonly parameters: Readonly<Record<ParameterPlace, readonly Parameter[]>>;
  /** `undefined` without a request body. */
  readonly body: RequestBodyObject | undefined;
  readonly responses: Responses;
  /** One of them must be satisfied; none if the operation is public. */
  readonly requirements: readonly OpenAPIV3.SecurityRequirementObject[];
  /** `undefined` if its removal is not announced. */
  readonly deprecation: Deprecation | undefined;
  /** Of each caller in a fixed window, from `x-rate-limit`. */
  readonly limit: OperationLimit | undefined;
  /** As the document has it: its summary, its tags, its extensions. */
  readonly declaration: OpenAPIV3.OperationObject<OperationExtensions>;
}

export type RequestBodyObject = OpenAPIV3.RequestBodyObject &
  Readonly<Partial<Record<'x-max-body-bytes' | 'x-max-body-values', number>>>;

/** An announced removal, from `x-deprecated-at`, `x-sunset` and `x-successor`. Times are Unix milliseconds. */
export interface Deprecation {
  readonly deprecatedAt: number | undefined;
  /** From then on the operation returns 410. */
  readonly sunsetAt: number | undefined;
  /** The operation to use instead. */
  readonly successor: string | undefined;
}

/** The contract of a document that `loadDocument` has checked. */
export const contractOf: (document: ContractDocument) => Contract = oncePer(compile);

function compile(document: ContractDocument): Contract {
  const operations = operationsOf(document).map((entry) => compileOperation(document, entry));
  const schemes = Object.entries(document.components?.securitySchemes ?? {});
  return {
    document,
    schemas: schemasOf(document),
    prefix: basePathOf(document),
    operations,
    byId: new Map(operations.map((operation) => [operation.id, operation])),
    securitySchemes: new Map(
      schemes.map(([name, node]) => [name, resolve<object>(document, node) as SecuritySchemeObject]),
    ),
    requirements: requirementsOf(document),
    keyPrefixes: keyPrefixesOf(document),
    plans: plansOf(document),
    addressPlan: addressPlanOf(document),
    banRule: banRuleOf(document),
    deployment: {},
  };
}

function compileOperation(document: ContractDocument, entry: OperationEntry): Operation {
  const { path, method, operation } = entry;
  const { operationId = '', requestBody, responses } = operation;
  const parameters = (place: ParameterPlace) => parametersIn(place, document, entry).map(parameterOf);
  return {
    id: operationId,
    method,
    path,
    prefix: prefixOf(document, entry),
    parameters: {
      path: parameters('path'),
      query: parameters('query'),
      header: parameters('header'),
      cookie: parameters('cookie'),
    },
    body: requestBody && resolve<RequestBodyObject>(document, requestBody),
    responses: new Responses(document, responses),
    requirements: satisfiableOf(document, operation),
    deprecation: deprecationOf(operation),
    limit: operation['x-rate-limit'],
    declaration: operation,
  };
}

/** If no requirement can be satisfied, none is omitted, because the operation would be public. */
function satisfiableOf(document: ContractDocument, operation: Operation['declaration']): Operation['requirements'] {
  const supported = requirementsOf(document, operation);
  return supported.length > 0 ? supported : (operation.security ?? document.security ?? []);
}

function deprecationOf(operation: Operation['declaration']): Deprecation | undefined {
  const { 'x-deprecated-at': since, 'x-sunset': sunset, 'x-successor': successor } = operation;
  if (operation.deprecated !== true || (since ?? sunset) === undefined) return undefined;
  return { deprecatedAt: midnightOf(since), sunsetAt: midnightOf(sunset), successor };
}

export function isRemoved(deprecation: Deprecation | undefined, now: number): boolean {
  return deprecation?.sunsetAt !== undefined && now >= deprecation.sunsetAt;
}

function midnightOf(day: string | undefined): number | undefined {
  return day === undefined ? undefined : Date.parse(`${day}T00:00:00Z`);
}

/** @throws TypeError if the contract has no such operation. */
export function requireOperation({ byId }: Contract, id: string): Operation {
  const found = byId.get(id);
  if (found === undefined) throw new TypeError(`The contract has no operation ${id}.`);
  return found;
}

/**
 * How long a response is stored for its `Idempotency-Key`, from `x-idempotency-retention-seconds` of a header of the
 * operation; a day by default.
 */
export function idempotencyRetentionSecondsOf(document: ContractDocument, id: string): number {
  const { header } = requireOperation(contractOf(document), id).parameters;
  const [seconds = 24 * 60 * 60] = header.flatMap(
    ({ declaration }) => (declaration as RetainingParameter)['x-idempotency-retention-seconds'] ?? [],
  );
  return seconds;
}

type RetainingParameter = OpenAPIV3.ParameterObject & { readonly 'x-idempotency-retention-seconds'?: number };

/** The greatest limit of a custom plan. */
export function limitMaxOf(contract: Contract): number {
  const maximum = findHeaderSchema(contract, 'X-RateLimit-Limit')?.maximum as number | bigint | undefined;
  return Math.min(Number(maximum ?? countMax), countMax);
}

/** The schema of a header that responses of operations declare, by its name in any case. */
export function findHeaderSchema({ schemas, operations }: Contract, name: string): OpenAPIV3.SchemaObject | undefined {
  const declared = operations.flatMap(({ responses }) => [...responses.declared.values()]);
  const header = declared.map(({ headers }) => headers.get(name.toLowerCase())).find((each) => each !== undefined);
  return header?.schema && schemas.resolve<OpenAPIV3.SchemaObject>(header.schema);
}

/** The names of the parameters or cookies that API keys are sent in. */
export function keyNamesIn(place: 'query' | 'cookie', { securitySchemes }: Contract): readonly string[] {
  return [...securitySchemes.values()].flatMap((scheme) =>
    scheme.type === 'apiKey' && scheme.in === place ? [scheme.name] : [],
  );
}
