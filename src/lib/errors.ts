/** The service cannot start with its configuration. The message contains what the operator can do. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** A backup failed. The message contains the reason. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}
