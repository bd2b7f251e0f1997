import type { Operation } from 'openapi-backend';
import type { OpenAPIV3 } from 'openapi-types';
import { type BodyRule, bodyRulesOf } from '../bodies/request-body.js';
import {
  type ContractDocument,
  type Deprecation,
  findDeprecation,
  requirementsOf,
  requireOperation,
} from '../contract/document.js';
import { prefixOf } from '../contract/servers.js';
import { type CompiledParameters, compileParameters } from '../parameters/request-parameters.js';

/** An operation of openapi-backend, with properties that are computed once at startup. */
export type CompiledOperation = Operation<OpenAPIV3.Document> &
  CompiledParameters & {
    readonly operationId: string;
    /** The path prefix; '' if there is none. */
    readonly prefix: string;
    /** The names of the security schemes of its requirements. */
    readonly schemes: readonly string[];
    /** The security requirements, one of which a request must satisfy. Those that name a scheme come first. */
    readonly requirements: readonly SecurityRequirement[];
    /** The rules of its body by media type; empty without a body. */
    readonly bodies: readonly BodyRule[];
    readonly deprecation: Deprecation | undefined;
  };

/** Schemes, each of which must identify a caller with these scopes. */
export type SecurityRequirement = readonly {
  readonly name: string;
  /** The index among the `schemes` of the operation. */
  readonly index: number;
  readonly scopes: readonly string[];
}[];

/** @param operation one of openapi-backend, without references. */
export function compileOperation(
  document: ContractDocument,
  operation: Operation<OpenAPIV3.Document>,
): CompiledOperation {
  const operationId = operation.operationId as string;
  const entry = requireOperation(document, operationId);
  return {
    ...operation,
    operationId,
    prefix: prefixOf(document, entry),
    ...compileSecurity(securityOf(document, operation)),
    // `authorize` checks it, before the body is read.
    security: [],
    ...compileParameters(document, entry),
    bodies: bodyRulesOf(document, operationId),
    deprecation: findDeprecation(document, operationId),
  };
}

/** Without a requirement that can be satisfied, none is omitted: the operation would be public. */
function securityOf(document: ContractDocument, { security = [] }: Operation<OpenAPIV3.Document>) {
  const supported = requirementsOf(document, { security });
  return supported.length > 0 ? supported : security;
}

function compileSecurity(
  security: readonly OpenAPIV3.SecurityRequirementObject[],
): Pick<CompiledOperation, 'schemes' | 'requirements'> {
  const schemes = [...new Set(security.flatMap((requirement) => Object.keys(requirement)))];
  const requirements = security.map((requirement) =>
    Object.entries(requirement).map(([name, scopes]) => ({ name, index: schemes.indexOf(name), scopes })),
  );
  return { schemes, requirements: requirements.sort((one, other) => Number(!one.length) - Number(!other.length)) };
}
