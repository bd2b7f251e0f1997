import type { ContractDocument } from '../contract/document.js';
import { operationsOf } from '../contract/operations.js';
import { createAjv } from '../schema/create-ajv.js';
import { MockedOperation } from './mocked-operation.js';
import type { Compile } from './mocked-response.js';

/** The operations of the mock by operationId. */
export type MockedOperations = ReadonlyMap<string, MockedOperation>;

/** Creates the operations of a contract, for its mock. */
export function createMockedOperations(document: ContractDocument): MockedOperations {
  const ajv = createAjv(document, 'response');
  const compile: Compile = (schema) => {
    const validate = ajv.compile(schema);
    return (value) => (validate(value) ? [] : (validate.errors ?? []));
  };
  const operations = operationsOf(document).map((entry) => new MockedOperation(document, entry, compile));
  return new Map(operations.map((operation) => [operation.id, operation]));
}
