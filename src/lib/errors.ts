/** The service cannot start as it is set up. The message is for the operator: what is wrong, and what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** A backup cannot be made; the message is for the operator. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/**
 * What the operator is told about trouble of the storage: when it begins, for every further reason, and when it is
 * over.
 */
export class OutageEvent {
  constructor(
    readonly message: string,
    readonly isOver: boolean,
  ) {}
}
