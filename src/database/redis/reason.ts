/** Maximum length of a message in the log: a server may send any error text. */
const lengthMax = 200;

/**
 * Why something of Redis's failed, in words. Where a name has several addresses, Node says nothing but what was wrong
 * with each.
 */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  const text = error instanceof Error && error.message !== '' ? error.message : String(error);
  return text.length > lengthMax ? `${text.slice(0, lengthMax)}…` : text;
}
