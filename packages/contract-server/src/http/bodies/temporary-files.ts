import { randomUUID } from 'node:crypto';
import { type FileHandle, lstat, mkdir, open, readdir, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { UploadedFile } from '@contract-server/core/bodies/uploaded-file.js';
import { TooManyValues } from '@contract-server/core/json/exact-json.js';
import { ApiError, StartError, storeUnavailable, systemReasonOf } from '@contract-server/core/lib/errors.js';
import { NoResponsePossible } from '../request-context.js';

/** The processes of a user share one directory. */
const directory = join(tmpdir(), `contract-server-uploads-${String(process.getuid?.() ?? '')}`);
const chunkBytes = 64 * 1024;
/** The maximum number of files in a request: each has an open file descriptor. */
const filesMax = 100;
/** The same for all requests of the process: without descriptors, connections of others would be closed unseen. */
export const openFilesMax = 1000;
/** One client cannot keep all others from uploading. */
export const openFilesOfClientMax = openFilesMax / 4;

/** The number of temporary files that are open in the process, or about to be opened. */
let openFiles = 0;
/** Those of each client address that has any. */
const openFilesByClient = new Map<string, number>();
/** Whether the limit was reported since half of the files were closed. */
let isLimitReported = false;

/**
 * Deletes files that a killed process has left. A name that exists belongs to such a process, or to one that is about
 * to remove it itself.
 *
 * @throws StartError if the directory cannot be used.
 */
export async function deleteLeftFiles(): Promise<void> {
  try {
    await createDirectory();
    const names = await readdir(directory);
    await Promise.all(names.map((name) => removeName(join(directory, name))));
  } catch (cause) {
    const reason = `Cannot store uploaded files in ${directory}: ${systemReasonOf(cause)}.`;
    throw new StartError(`${reason} Set TMPDIR to another directory.`, { cause });
  }
}

/**
 * The files that arrive with a request. Each one loses its name as soon as it is open, so the operating system deletes
 * it when it is closed, also if the process is killed.
 */
export class TemporaryFiles {
  private readonly handles: FileHandle[] = [];
  private count = 0;
  private isClosed = false;

  /** @param client the key of the address whose files count together. */
  constructor(private readonly client: string) {}

  /**
   * Stores the content of a file.
   *
   * @param read passes each chunk on, and waits until it is written.
   * @throws TooManyValues for more than 100 files.
   * @throws ApiError `store_unavailable`, such as for a full disk, or while too many files are open. Its cause is to be
   * reported; a limit that was reported already has none.
   */
  async store(
    { name, mediaType }: Pick<UploadedFile, 'name' | 'mediaType'>,
    read: (write: (chunk: Uint8Array) => Promise<void>) => Promise<void>,
  ): Promise<UploadedFile> {
    this.count += 1;
    if (this.count > filesMax) throw new TooManyValues(`more than ${String(filesMax)} files`);
    const handle = await reserveFile(this.client);
    if (this.isClosed) {
      await releaseFile(handle, this.client);
      throw closed();
    }
    this.handles.push(handle);
    let size = 0;
    await read(async (chunk) => {
      if (this.isClosed) throw closed();
      await handle.writeFile(chunk).catch(fail);
      size += chunk.length;
    });
    const chunksOf = () => this.chunksOf(handle, size);
    return {
      ...{ name, mediaType, size },
      stream: () => Readable.from(chunksOf(), { objectMode: false }),
      bytes: () => buffer(chunksOf()),
    };
  }

  /** Deletes the files. */
  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all(this.handles.splice(0).map((handle) => releaseFile(handle, this.client)));
  }

  private async *chunksOf(handle: FileHandle, size: number): AsyncGenerator<Buffer> {
    for (let at = 0; at < size; ) {
      if (this.isClosed) throw closed();
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, at);
      if (bytesRead === 0) throw new Error('A temporary file is shorter than what was written to it.');
      yield buffer.subarray(0, bytesRead);
      at += bytesRead;
    }
  }
}

/** @throws ApiError `store_unavailable` */
async function reserveFile(client: string): Promise<FileHandle> {
  if (openFiles >= openFilesMax) throw tooManyFiles();
  if ((openFilesByClient.get(client) ?? 0) >= openFilesOfClientMax) throw tooManyFilesOfClient();
  count(client, 1);
  try {
    return await openFile();
  } catch (error) {
    count(client, -1);
    return fail(error);
  }
}

async function releaseFile(handle: FileHandle, client: string): Promise<void> {
  try {
    await handle.close();
  } finally {
    count(client, -1);
    if (openFiles <= openFilesMax / 2) isLimitReported = false;
  }
}

function count(client: string, change: 1 | -1): void {
  openFiles += change;
  const left = (openFilesByClient.get(client) ?? 0) + change;
  if (left === 0) openFilesByClient.delete(client);
  else openFilesByClient.set(client, left);
}

function tooManyFilesOfClient(): ApiError {
  const found = `Your client address has ${String(openFilesOfClientMax)} uploads in progress.`;
  const message = `${found} Retry after the time in Retry-After.`;
  return new ApiError('store_unavailable', message, { headers: { 'Retry-After': '1' } });
}

function tooManyFiles(): ApiError {
  const reason = `${String(openFilesMax)} uploaded files are open in this process, so others are rejected.`;
  const cause = isLimitReported ? undefined : new Error(reason);
  isLimitReported = true;
  const message = 'Too many files are being uploaded. Retry after the time in Retry-After.';
  return new ApiError('store_unavailable', message, { headers: { 'Retry-After': '1' }, cause });
}

async function openFile(): Promise<FileHandle> {
  await createDirectory();
  const path = join(directory, randomUUID());
  const handle = await open(path, 'wx+', 0o600);
  await removeName(path);
  return handle;
}

/** @throws Error if the path is a link, or a directory of another user, who could read the files. */
async function createDirectory(): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const found = await lstat(directory);
  if (!found.isDirectory() || found.uid !== (process.getuid?.() ?? found.uid))
    throw new Error('it is a link, or belongs to another user');
}

/** Another process may have removed it. */
async function removeName(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  });
}

function closed(): NoResponsePossible {
  return new NoResponsePossible('The file was deleted, because the response was sent or the client has disconnected.');
}

function fail(cause: unknown): never {
  throw storeUnavailable(cause);
}
