import { declaredResponses } from './declared-responses.js';
import type { ContractDocument } from './document.js';

/** What an operation declares for the status of an error. */
export type ErrorDeclaration = 'with content' | 'without content' | 'undeclared';

/**
 * Returns a function that finds what an operation declares for the status of an error: for the status itself, otherwise
 * for its range (`4XX`), otherwise by `default`. An error that is declared without content is sent without a body.
 */
export function errorDeclarations(document: ContractDocument): (id: string, status: number) => ErrorDeclaration {
  const operations = new Map<string, ReturnType<typeof declaredResponses>>();
  return (id, status) => {
    const find = operations.get(id) ?? declaredResponses(document, id);
    operations.set(id, find);
    const declared = find(status);
    if (declared === undefined) return 'undeclared';
    return declared.content.length === 0 ? 'without content' : 'with content';
  };
}
