/** The contract cannot be served. Each line of `message` has a position, the operation, and one sentence. */
export class ContractError extends Error {
  override readonly name = 'ContractError';
}

/** What is wrong with the contract, at a place in it. */
export interface Problem {
  /** The names and indexes that lead to it in the document. */
  readonly path: readonly (string | number)[];
  /** A sentence that says what is not supported or invalid, and what to write instead. */
  readonly message: string;
  /** Whether the part is accepted; the sentence then says how it is served. */
  readonly isWarning?: true;
}
