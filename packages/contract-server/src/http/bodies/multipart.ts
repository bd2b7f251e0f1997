import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import type { BodyRule } from '@contract-server/core/bodies/body-rule.js';
import { invalidBody, textOf } from '@contract-server/core/bodies/body-text.js';
import type { FormField } from '@contract-server/core/bodies/form-fields.js';
import { isListOf } from '@contract-server/core/bodies/formats/form.js';
import type { PlacedFile, UploadedFile } from '@contract-server/core/bodies/uploaded-file.js';
import { ValueBudget } from '@contract-server/core/bodies/value-budget.js';
import { isInRange, isJson } from '@contract-server/core/contract/media-types.js';
import { TooManyValues } from '@contract-server/core/json/exact-json.js';
import { setMember } from '@contract-server/core/json/object-members.js';
import type { ApiError } from '@contract-server/core/lib/errors.js';
import type * as Parsers from '@fastify/busboy';
import type { BusboyFileStream, BusboyInstance } from '@fastify/busboy';
import { parse } from 'content-type';
import { headBytesMax, PartHeads } from './part-heads.js';
import { readChunks } from './read-chunks.js';
import type { TemporaryFiles } from './temporary-files.js';

const headerLimits = { headerPairs: 20, headerSize: headBytesMax };
/**
 * How much of a body is parsed at a time, in bytes: small parts take as long as large ones. After a slice above the
 * high water mark of a stream (16 KiB), the parser would not resume behind a part that it skips.
 */
const sliceBytes = 4 * 1024;

/** The fields of a body. */
export interface MultipartForm {
  /** Typed values, with an empty text in the place of each file. */
  readonly value: object;
  readonly files: readonly PlacedFile[];
}

interface PartHead {
  readonly name: string;
  readonly fileName: string | undefined;
  readonly mediaType: string;
}

/** The value of a part, or its file. */
type Part = { readonly value: unknown } | { readonly file: UploadedFile };
type NamedPart = readonly [name: string, part: Part];

/**
 * Reads a multipart body (RFC 7578). Files are stored as they arrive.
 *
 * @throws ApiError `invalid_request`, `body_too_large` or `store_unavailable`
 * @throws TooManyValues
 * @throws NoResponsePossible
 */
export async function readMultipart(
  request: IncomingMessage,
  rule: BodyRule,
  files: TemporaryFiles,
): Promise<MultipartForm> {
  const boundary = requireBoundary(request.headers['content-type'] ?? '');
  const parser = createParser(boundary, rule);
  const budget = new ValueBudget(rule.valuesMax);
  /** In the order in which they were sent. */
  const reading: Promise<NamedPart>[] = [];
  parser.on('file', (sentName: string | undefined, stream, fileName: string | undefined, _encoding, mediaType) => {
    // An error of a part is one of the parser too.
    stream.on('error', () => undefined);
    const name = sentName ?? '';
    const part = readPart({ name, fileName, mediaType }, stream, rule.fields.find(name), { files, budget });
    // It ends the parser, whose error rejects `finished`.
    part.catch((error: unknown) => parser.destroy(new PartError('A part cannot be read.', { cause: error })));
    reading.push(part.then((value) => [name, value] as const));
  });
  // `finished` is rejected with the first error. The parts that are then abandoned can cause others.
  parser.on('error', () => undefined);
  parser.on('partsLimit', () => parser.destroy(new TooManyValues(`more than ${String(rule.valuesMax)} parts`)));
  const finished = once(parser, 'finish').catch(rethrow);
  const heads = new PartHeads(boundary);
  const write = async (chunk: Buffer) => {
    const checked = heads.push(chunk);
    await writeSlices(parser, checked).catch(rethrow);
  };
  try {
    await Promise.all([readChunks(request, rule.bytesMax, write).then(() => parser.end()), finished]);
  } catch (error) {
    parser.destroy();
    for (const part of reading) part.catch(() => undefined);
    throw error;
  }
  // It drops a part without a readable name.
  if (reading.length !== heads.count) throw malformed();
  return assemble(await Promise.all(reading), rule);
}

async function writeSlices(parser: BusboyInstance, chunk: Buffer): Promise<void> {
  for (let at = 0; at < chunk.length && !parser.destroyed; at += sliceBytes) {
    if (!parser.write(chunk.subarray(at, at + sliceBytes))) await once(parser, 'drain');
    await setImmediate();
  }
}

/** RFC 2046, section 5.1.1. */
const validBoundary = /^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/;

/** @throws ApiError `invalid_request` */
function requireBoundary(contentType: string): string {
  const { boundary = '' } = parse(contentType).parameters;
  if (validBoundary.test(boundary)) return boundary;
  const usage = "Add `boundary` to Content-Type: 1 to 70 letters, digits or any of '()+_,-./:=? (RFC 2046).";
  throw invalidBody(`has no valid boundary. ${usage}`);
}

function createParser(boundary: string, { valuesMax }: BodyRule): BusboyInstance {
  // Loaded only for the first body, because loading it delays the start of every service.
  const { Busboy } = createRequire(import.meta.url)('@fastify/busboy') as typeof Parsers;
  const headers = { 'content-type': `multipart/form-data; boundary="${boundary}"` };
  return new Busboy({ headers, limits: { parts: valuesMax, ...headerLimits }, isPartAFile: () => true });
}

/** Why a part, not the body as a whole, cannot be read: `cause`. */
class PartError extends Error {}

/** Throws what ended the parser: the reason of ours, or an error of the parser itself. */
function rethrow(error: unknown): never {
  if (error instanceof PartError) throw error.cause;
  throw error instanceof TooManyValues ? error : malformed();
}

function malformed(): ApiError {
  return invalidBody('is not valid multipart/form-data: a part is incomplete, or the last boundary is missing.');
}

/** The content of a part, which is incomplete if the parser fails. */
async function* contentOf(stream: BusboyFileStream): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of stream) yield chunk as Buffer;
  } catch {
    throw malformed();
  }
}

/** Counts the bytes while they arrive. @throws TooManyValues */
async function* countBytes(chunks: AsyncIterable<Buffer>, budget: ValueBudget): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    budget.takeBytes(chunk.length);
    yield chunk;
  }
}

async function readPart(
  head: PartHead,
  stream: BusboyFileStream,
  field: FormField,
  { files, budget }: Readonly<{ files: TemporaryFiles; budget: ValueBudget }>,
): Promise<Part> {
  const { name, fileName, mediaType } = head;
  budget.takeBytes(name.length);
  const isFile = field.isFile ?? fileName !== undefined;
  if (isFile) requireContentType(head, field);
  if (!field.isDeclared && fileName !== undefined) {
    // Validation reports it, if the contract does not allow it.
    stream.resume();
    return { value: '' };
  }
  if (isFile) {
    const file = await files.store({ name: fileName, mediaType }, async (write) => {
      for await (const chunk of contentOf(stream)) await write(chunk);
    });
    return { file };
  }
  const bytes = await buffer(countBytes(contentOf(stream), budget));
  if (field.isJson || isJson(mediaType)) return { value: budget.parseJson(bytes) };
  budget.take(1);
  return { value: textOf(bytes, name) };
}

/** @throws ApiError `invalid_request` for a media type that the contract does not allow for the field. */
function requireContentType({ name, mediaType }: PartHead, { contentTypes }: FormField): void {
  if (contentTypes.length === 0) return;
  if (contentTypes.some((range) => isInRange(mediaType, range))) return;
  throw invalidBody(`must have one of these media types: ${contentTypes.join(', ')}.`, name);
}

function assemble(sent: readonly NamedPart[], { fields }: BodyRule): MultipartForm {
  const parts = new Map<string, Part[]>();
  for (const [name, part] of sent) parts.set(name, [...(parts.get(name) ?? []), part]);
  const value: Record<string, unknown> = {};
  const files: PlacedFile[] = [];
  for (const [name, all] of parts) {
    const field = fields.find(name);
    const values = all.flatMap((part) => valuesOf(part, field));
    const isList = isListOf(field, name, values.length);
    const items = isList ? values : values[0];
    setMember(value, name, field.isJson || field.isFile === true ? items : field.convert(items));
    const place = (index: number) =>
      isList ? { owner: value[name] as PlacedFile['owner'], key: index } : { owner: value, key: name };
    all.forEach((part, index) => 'file' in part && files.push({ ...place(index), file: part.file }));
  }
  return { value, files };
}

/** An array can also be sent as one JSON value. An empty text takes the place of a file. */
function valuesOf(part: Part, { isArray, isJson }: FormField): readonly unknown[] {
  if ('file' in part) return [''];
  return isArray && isJson && Array.isArray(part.value) ? (part.value as unknown[]) : [part.value];
}
