import type { Contract } from '@contract-server/core/contract/contract.js';
import { createAjv } from '@contract-server/core/schema/create-ajv.js';
import { MockedOperation } from './mocked-operation.js';
import type { Compile } from './mocked-response.js';

/** The operations of the mock by operationId. */
export type MockedOperations = ReadonlyMap<string, MockedOperation>;

/** Creates the operations of a contract, for its mock. */
export function createMockedOperations(contract: Contract): MockedOperations {
  const ajv = createAjv(contract.schemas, 'response');
  const compile: Compile = (schema) => {
    const validate = ajv.compile(schema);
    return (value) => (validate(value) ? [] : (validate.errors ?? []));
  };
  const operations = contract.operations.map((operation) => new MockedOperation(contract, operation, compile));
  return new Map(operations.map((operation) => [operation.id, operation]));
}
