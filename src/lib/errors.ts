/** The service cannot start with its configuration. The message contains what the operator can do. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** A backup failed. The message contains the reason. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/** Maximum length of a reason: a server may send any text. */
const reasonLengthMax = 200;

/** The message of an error. If a host name has several addresses, Node's error only contains one error per address. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  const text = error instanceof Error && error.message !== '' ? error.message : String(error);
  return text.length > reasonLengthMax ? `${text.slice(0, reasonLengthMax)}…` : text;
}
