/** The service cannot start with its configuration. The message says what the operator can do. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** A backup failed. The message says why, for the operator. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}
