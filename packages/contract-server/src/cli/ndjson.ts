import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BodyRule } from '../bodies/body-rule.js';
import type { Schemas } from '../contract/schemas.js';
import { type JsonValue, parseJson, TooManyValues } from '../json/exact-json.js';
import { CommandError, systemReasonOf } from '../lib/errors.js';
import { printable } from '../lib/printable.js';
import { createAjv } from '../schema/create-ajv.js';
import { describeErrors } from '../schema/validation-messages.js';
import type { CommandContext, Output } from './context.js';

/** Maximum number of bytes that are read at once; the lines in them are processed together. */
const chunkBytes = 256 * 1024;
/** A carriage return, which is not part of the line, and one more byte, which shows that the line is too long. */
const extraBytes = 2;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Whether a file argument is `-` or absent: the standard input or output. */
export function isStandardStream(file: string | undefined): file is '-' | undefined {
  return file === undefined || file === '-';
}

/**
 * Reads and validates the lines of a file, or of the standard input for `-`. Blank lines are ignored. Yields for each
 * chunk the values of the valid lines, for each invalid one a line of text for the terminal, and their unknown fields.
 */
export async function* readLines<Value>(file: string, { stdin }: CommandContext, validator: NdjsonValidator<Value>) {
  const source = isStandardStream(file) ? stdin() : readChunks(file);
  let number = 0;
  for await (const lines of splitLines(source, validator.bytesMax + extraBytes)) {
    const values: Value[] = [];
    const errors: string[] = [];
    const unknownFields = new Set<string>();
    for (const line of lines) {
      number += 1;
      if (isBlank(line)) continue;
      try {
        values.push(validator.read(line));
      } catch (error) {
        if (!(error instanceof InvalidLineError)) throw error;
        errors.push(`Line ${String(number)}: ${printable(error.message)}\n`);
        for (const name of error.unknownFields) unknownFields.add(name);
      }
    }
    yield { values, errors, unknownFields };
  }
}

/** @throws CommandError */
async function* readChunks(file: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(file, { highWaterMark: chunkBytes }) as AsyncIterable<Buffer>;
  } catch (cause) {
    throw new CommandError(`Cannot read ${file}: ${systemReasonOf(cause)}.`, { cause });
  }
}

export interface ExportOptions {
  readonly force?: true;
}

/**
 * Writes text to a file that only its owner can read, or to the standard output for `-` or no file.
 *
 * @throws CommandError if the file exists, without `force`, or cannot be opened.
 */
export async function writeTo(
  file: string | undefined,
  { force }: ExportOptions,
  stdout: Output,
  text: Iterable<string> | AsyncIterable<string>,
): Promise<void> {
  if (isStandardStream(file)) return pipeline(Readable.from(text), printChunks, stdout, { end: false });
  const existing = await stat(file).catch(() => undefined);
  if (existing?.isFile() && !force)
    throw new CommandError(`${file} exists. Choose another name, or overwrite it with --force.`);
  const handle = await open(file, existing === undefined ? 'wx' : 'w', 0o600).catch((cause: unknown) => {
    throw new CommandError(`Cannot write ${file}: ${systemReasonOf(cause)}.`, { cause });
  });
  // A file that existed may have another mode. The mode of a device or a pipe is kept.
  if (existing?.isFile()) await handle.chmod(0o600);
  return pipeline(Readable.from(text), handle.createWriteStream());
}

async function* printChunks(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const chunk of chunks) yield printable(chunk, '\n');
}

/**
 * Splits bytes into lines that end in LF or CR LF; the last line may have no ending. Keeps at most `bytesMax` bytes of
 * a line. node:readline does not fit: it decodes UTF-8, which hides invalid bytes, and holds a line of any length in
 * memory. Yields one array of lines per chunk, because awaiting each of millions of lines is slow.
 */
async function* splitLines(source: AsyncIterable<Uint8Array>, bytesMax: number): AsyncGenerator<readonly Buffer[]> {
  let incomplete: Buffer = Buffer.alloc(0);
  const append = (bytes: Buffer) => {
    const kept = bytes.subarray(0, bytesMax - incomplete.length);
    incomplete = incomplete.length === 0 ? kept : Buffer.concat([incomplete, kept]);
  };
  const complete = (): Buffer => {
    const line = incomplete.at(-1) === carriageReturn ? incomplete.subarray(0, -1) : incomplete;
    incomplete = Buffer.alloc(0);
    return line;
  };
  for await (const bytes of source) {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      append(chunk.subarray(start, end));
      lines.push(complete());
      start = end + 1;
    }
    append(chunk.subarray(start));
    yield lines;
  }
  if (incomplete.length > 0) yield [complete()];
}

/** Only the white space of JSON counts as blank (RFC 8259, section 2). */
function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === carriageReturn);
}

/** Parses and validates the lines of a file, each of which holds one JSON value. */
export interface NdjsonValidator<Value> {
  /** The maximum length of a line. */
  readonly bytesMax: number;
  /** Returns the value with the defaults of its schema. @throws InvalidLineError */
  read(line: Uint8Array): Value;
}

/** `message` describes every error of the line in whole sentences. */
export class InvalidLineError extends Error {
  override readonly name = 'InvalidLineError';

  /** @param unknownFields the fields of the line that the schema does not have. */
  constructor(
    message: string,
    readonly unknownFields: readonly string[] = [],
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * Validates lines as the service validates request bodies: the same JSON parser, schemas and limits.
 *
 * @param schemas where references in the schema lead.
 */
export function createSchemaValidator<Value>(
  schema: object,
  { bytesMax, valuesMax }: Pick<BodyRule, 'bytesMax' | 'valuesMax'>,
  schemas: Schemas,
): NdjsonValidator<Value> {
  const validate = createAjv(schemas, 'request').compile({ type: 'object', properties: { line: schema } });
  const read = (line: Uint8Array): JsonValue => {
    if (line.length > bytesMax) throw new InvalidLineError(`The line exceeds ${String(bytesMax)} bytes. Shorten it.`);
    const values = { line: parseLine(line, valuesMax) };
    if (validate(values)) return values.line;
    const errors = validate.errors ?? [];
    const unknown = errors.flatMap(({ params }) => (params['additionalProperty'] as string | undefined) ?? []);
    throw new InvalidLineError(describeErrors(errors), unknown);
  };
  return { bytesMax, read: read as NdjsonValidator<Value>['read'] };
}

function parseLine(line: Uint8Array, valuesMax: number): JsonValue {
  try {
    return parseJson(line, valuesMax);
  } catch (error) {
    if (error instanceof TooManyValues)
      throw new InvalidLineError(`The line has ${error.message}. Shorten it.`, [], { cause: error });
    if (!(error instanceof SyntaxError)) throw error;
    throw new InvalidLineError(`The line is not valid JSON: ${error.message}`, [], { cause: error });
  }
}
