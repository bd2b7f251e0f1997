/** An error of a request for a file, in the form of http-errors. */
export class FileError extends Error {
  override readonly name = 'FileError';
  readonly expose = true;

  constructor(
    readonly status: 404 | 412 | 416,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }

  /** Whether the contract need not declare the status. */
  get isImplied(): boolean {
    return this.status !== 404;
  }
}
