/** The service cannot start as it is set up. The message is for the operator: what is wrong, and what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
