/** A place in a file of the contract. Lines and columns begin with 1. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** What is wrong with the contract, at a place in it. */
export interface Problem {
  /** The names and indexes that lead to it in the document. */
  readonly path: readonly (string | number)[];
  /** A sentence that says what is not supported or invalid, and what to write instead. */
  readonly message: string;
}

/** The contract cannot be served. Each line of `message` has a position, the operation, and one sentence. */
export class ContractError extends Error {
  override readonly name = 'ContractError';
}

/** A line of a `ContractError`: `spec/petstore.yaml:12:5 getPet: The body has no schema.` */
export function formatProblem({ file, line, column }: Position, message: string, operationId = ''): string {
  return `${file}:${String(line)}:${String(column)} ${operationId === '' ? '' : `${operationId}: `}${message}`;
}
