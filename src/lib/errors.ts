/** The service cannot start with its configuration. The message tells the operator what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** A backup failed. The message tells the operator why. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/** The start of an outage of a store, a further reason for it, or its end. The message is for the operator. */
export class OutageEvent {
  constructor(
    readonly message: string,
    readonly isOver: boolean,
  ) {}
}
