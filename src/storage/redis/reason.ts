/** Why something of Redis's failed, in words. Where a name has several addresses, Node says nothing but what was wrong with each. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return error instanceof Error && error.message !== '' ? error.message : String(error);
}
