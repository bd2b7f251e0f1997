import { isAbsolute } from 'node:path';

/** Options of a file that is sent. */
export interface FileOptions {
  /** The folder that the path is relative to, and cannot leave: with it, the path may be that of a client. */
  readonly root?: string;
  /** Whether files and folders whose names start with a dot are sent. Default: they do not exist. */
  readonly dotfiles?: boolean;
}

/** A file that is sent as the body of a response. */
export class FileBody {
  /** No other object has its type. */
  protected readonly kind = 'file';

  constructor(
    readonly path: string,
    readonly options: FileOptions,
  ) {}
}

/**
 * A file as the body of a response in another media type than JSON: `{ status: 200, body: file(path) }`. It is sent
 * with `ETag`, `Last-Modified`, `Accept-Ranges` and `Cache-Control: private, no-cache`. Conditional requests and those
 * for a range (RFC 9110, sections 13 and 14) have the statuses 206, 304, 412 and 416, which the contract need not
 * declare. The `ETag` is strong from a second after the last change on, so that clients can resume downloads; set your
 * own if several nodes have copies of the file. A file that does not exist is a 404.
 *
 * @param path absolute, or relative to `root`.
 * @throws TypeError for a path that is neither.
 */
export function file(path: string, options: FileOptions = {}): FileBody {
  if (options.root === undefined && !isAbsolute(path))
    throw new TypeError(`The path of a file must be absolute, or relative to \`root\`: ${path}`);
  return new FileBody(path, options);
}
