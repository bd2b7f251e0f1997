import type { NdjsonValidator } from '../../openapi/ndjson-validator.js';
import type { ImportedPet, PetStaging } from '../../pets/pet-store.js';
import { type InvalidLine, parseLines, splitLines } from '../lines.js';

export interface ImportOptions {
  readonly reader: NdjsonValidator<ImportedPet>;
  /** Receives the valid pets; `undefined` to only validate the lines. */
  readonly staging: PetStaging | undefined;
  /** Whether to import the valid pets even if other lines are invalid. */
  readonly keepGoing: boolean;
  readonly onInvalidLines: (invalidLines: readonly InvalidLine[]) => Promise<void>;
  readonly onProgress: (validLines: number, bytes: number) => void;
  /** Called before the staged pets are moved into the catalogue. */
  readonly onCommit: (validLines: number) => void;
}

/** Blank lines are not counted. */
export interface ImportResult {
  readonly validLines: number;
  readonly invalidLines: number;
  readonly imported: number;
}

/** A carriage return, which is not part of the line, and one more byte, which shows that the line is too long. */
const extraBytes = 2;

/**
 * Imports pets, one JSON text per line. Reads every line, to report all invalid ones, and changes the catalogue once,
 * at the end: imports all pets or none, and none if a line is invalid, unless `keepGoing`.
 */
export async function importPets(source: AsyncIterable<Uint8Array>, options: ImportOptions): Promise<ImportResult> {
  const { reader, staging, keepGoing, onInvalidLines, onProgress, onCommit } = options;
  let [validLines, invalidLines, bytesRead] = [0, 0, 0];
  const counted = countBytes(source, (bytes) => (bytesRead += bytes));
  for await (const lines of splitLines(counted, reader.bytesMax + extraBytes)) {
    const parsed = parseLines(lines, reader);
    validLines += parsed.values.length;
    invalidLines += parsed.invalidLines.length;
    if (parsed.invalidLines.length > 0) await onInvalidLines(parsed.invalidLines);
    await staging?.add(parsed.values);
    onProgress(validLines, bytesRead);
  }
  if (staging === undefined || (invalidLines > 0 && !keepGoing)) return { validLines, invalidLines, imported: 0 };
  onCommit(validLines);
  return { validLines, invalidLines, imported: await staging.commit() };
}

async function* countBytes(
  source: AsyncIterable<Uint8Array>,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    onBytes(chunk.length);
    yield chunk;
  }
}
