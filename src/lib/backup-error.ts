/** A backup cannot be made; the message is for the operator. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}
