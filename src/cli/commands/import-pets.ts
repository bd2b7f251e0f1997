import type { NdjsonValidator } from '../../openapi/ndjson-validator.js';
import type { IncomingPet, PetStaging } from '../../pets/pet-store.js';
import { splitLines } from '../lines.js';
import { type InvalidLine, readLines } from '../output/invalid-lines.js';

export interface ImportParts {
  readonly reader: NdjsonValidator<IncomingPet>;
  /** Where good animals go; `undefined` if they are only to be checked. */
  readonly staging: PetStaging | undefined;
  /** Whether good animals are imported although others are faulty. */
  readonly keepGoing: boolean;
  /** Told of faulty lines in their order; what it returns is waited for. */
  readonly onFaults: (faults: readonly InvalidLine[]) => Promise<void>;
  /** Told how far it has come. */
  readonly onProgress: (validLines: number, bytes: number) => void;
  /** Told before the good animals are moved into the catalogue. */
  readonly onMove: (validLines: number) => void;
}

/** What became of the lines that are not blank. */
export interface ImportResult {
  readonly validLines: number;
  readonly faultyLines: number;
  readonly imported: number;
}

/** The line feed is gone by then; a carriage return before it, and one byte more, tell that a line is too long. */
const bytesBeyondMax = 2;

/**
 * Imports animals, one JSON text per line. Every line is read, so that every fault is known in one go. The catalogue is
 * changed once, at the end: by all animals or by none, and by none if a line is faulty, unless `keepGoing`.
 */
export async function importPets(source: AsyncIterable<Uint8Array>, parts: ImportParts): Promise<ImportResult> {
  const { reader, staging, keepGoing, onFaults, onProgress, onMove } = parts;
  let [validLines, faultyLines, bytesRead] = [0, 0, 0];
  const counted = countBytes(source, (bytes) => (bytesRead += bytes));
  for await (const lines of splitLines(counted, reader.bytesMax + bytesBeyondMax)) {
    const { values: pets, faults } = readLines(lines, reader);
    validLines += pets.length;
    faultyLines += faults.length;
    if (faults.length > 0) await onFaults(faults);
    await staging?.add(pets);
    onProgress(validLines, bytesRead);
  }
  if (staging === undefined || (faultyLines > 0 && !keepGoing)) return { validLines, faultyLines, imported: 0 };
  onMove(validLines);
  return { validLines, faultyLines, imported: await staging.commit() };
}

async function* countBytes(
  source: AsyncIterable<Uint8Array>,
  count: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    count(chunk.length);
    yield chunk;
  }
}
