import type { Readable } from 'node:stream';

/**
 * A file that a client has sent, as a part of a multipart body or as the whole body. It has arrived completely, in a
 * file without a name below `TMPDIR`, and is deleted when the response has been sent or the client has disconnected.
 * Uploads are a 503 while the disk is full, or while 1,000 files are open in the process, or 250 of one client address.
 */
export interface UploadedFile {
  /** The name that the client gave to it, without folders: do not trust it. `undefined` if it gave none. */
  readonly name: string | undefined;
  /** The media type that the client declared, in lower case, without parameters. */
  readonly mediaType: string;
  /** In bytes. */
  readonly size: number;
  /** The content, from the start at each call. */
  stream(): Readable;
  /** The whole content. */
  bytes(): Promise<Buffer>;
}

/** A file, and the place in the parsed body that it takes once the other values are validated. */
export interface PlacedFile {
  readonly owner: Record<string | number, unknown>;
  readonly key: string | number;
  readonly file: UploadedFile;
}
