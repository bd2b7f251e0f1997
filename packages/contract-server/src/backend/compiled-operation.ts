import type { BodyRule } from '@contract-server/core/bodies/body-rule.js';
import { bodyRulesOf } from '@contract-server/core/bodies/request-body.js';
import {
  type Contract,
  type Operation as ContractOperation,
  requireOperation,
} from '@contract-server/core/contract/contract.js';
import { type CompiledParameters, compileParameters } from '@contract-server/core/parameters/request-parameters.js';
import type { Operation } from 'openapi-backend';
import type { OpenAPIV3 } from 'openapi-types';

/** An operation of openapi-backend, with properties that are computed once at startup. */
export type CompiledOperation = Operation<OpenAPIV3.Document> &
  CompiledParameters & {
    readonly operationId: string;
    /** As the contract declares it. */
    readonly declared: ContractOperation;
    /** The names of the security schemes of its requirements. */
    readonly schemes: readonly string[];
    /** The security requirements, one of which a request must satisfy. Those that name a scheme come first. */
    readonly requirements: readonly SecurityRequirement[];
    /** The rules of its body by media type; empty without a body. */
    readonly bodies: readonly BodyRule[];
  };

/** Schemes, each of which must identify a caller with these scopes. */
export type SecurityRequirement = readonly {
  readonly name: string;
  /** The index among the `schemes` of the operation. */
  readonly index: number;
  readonly scopes: readonly string[];
}[];

/** @param operation one of openapi-backend, without references. */
export function compileOperation(contract: Contract, operation: Operation<OpenAPIV3.Document>): CompiledOperation {
  const operationId = operation.operationId as string;
  const declared = requireOperation(contract, operationId);
  return {
    ...operation,
    ...{ operationId, declared },
    ...compileSecurity(declared),
    // `authorize` checks it, before the body is read.
    security: [],
    ...compileParameters(contract, declared),
    bodies: bodyRulesOf(contract, declared),
  };
}

function compileSecurity({
  requirements: declared,
}: ContractOperation): Pick<CompiledOperation, 'schemes' | 'requirements'> {
  const schemes = [...new Set(declared.flatMap((requirement) => Object.keys(requirement)))];
  const requirements = declared.map((requirement) =>
    Object.entries(requirement).map(([name, scopes]) => ({ name, index: schemes.indexOf(name), scopes })),
  );
  return { schemes, requirements: requirements.sort((one, other) => Number(!one.length) - Number(!other.length)) };
}
