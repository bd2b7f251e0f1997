import { stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { type Json, parseJson, stringifyJson } from '../../json/exact-json.js';
import type { Clock } from '../../lib/clock.js';
import type { Pet } from '../../pets/pet.js';
import type { PetImport } from '../../pets/pet-store.js';
import { createPetValidator } from '../../pets/pet-validator.js';
import { type Output, write } from '../context.js';
import { addJsonOption, type Invocation, type JsonOption, printResult, withStores } from '../invocation.js';
import { isStandardStream, readLines, writeTo } from '../ndjson.js';
import { countOf, formatCount, printable } from '../output/format.js';

interface ImportOptions extends JsonOption {
  readonly keepIds?: true;
  readonly dryRun?: true;
  readonly keepGoing?: true;
}

interface ExportOptions {
  readonly withoutIds?: true;
}

/** Blank lines are not counted. */
interface ImportResult {
  readonly validLines: number;
  readonly invalidLines: number;
  readonly imported: number;
}

/** Minimum length of the chunks in which exported pets are written, in characters. */
const chunkLengthMin = 64 * 1024;

/** No progress is shown for runs that are shorter. */
const showAfterMs = 1000;
const lineIntervalMs = 10_000;

/** Adds `petstore pets …`. */
export function addPetsCommands(program: Command, invocation: Invocation): void {
  const pets = program.command('pets').description('import and export pets');
  addJsonOption(pets.command('import <file>'))
    .description('add the pets of a file, one NewPet in JSON per line, all or none; - reads the standard input')
    .option('--keep-ids', 'keep the ids of a `petstore pets export` file; new ids continue after the highest')
    .option('--dry-run', 'validate the lines without importing them')
    .option('--keep-going', 'import the valid lines even if others are invalid')
    .action((file: string, options: ImportOptions) => runImport(invocation, file, options));
  pets
    .command('export [file]')
    .description(
      'write every pet as one Pet in JSON per line, in ascending order of id, for `petstore pets import --keep-ids`',
    )
    .option('--without-ids', 'omit the ids, for `petstore pets import` without --keep-ids')
    .action((file: string | undefined, options: ExportOptions) => runExport(invocation, file, options));
}

async function runImport(invocation: Invocation, file: string, options: ImportOptions): Promise<void> {
  invocation.exitCodeIfClosed = 1;
  const { stderr, clock } = invocation.context;
  const progress = new Progress(stderr, clock, await findSize(file));
  const result = options.dryRun
    ? await importPets(invocation, file, options, progress)
    : await withStores(invocation, ({ transfer }) =>
        importPets(invocation, file, options, progress, transfer.startImport()),
      );
  if (result.invalidLines > 0) invocation.exitCode = 1;
  invocation.exitCodeIfClosed = invocation.exitCode;
  const seconds = progress.elapsedMs / 1000;
  const value = { ...result, dryRun: options.dryRun === true, seconds };
  await printResult(invocation, options, value, summary(result, options, seconds));
}

/** The size of a file; `undefined` for the standard input or a pipe. */
async function findSize(file: string): Promise<number | undefined> {
  if (isStandardStream(file)) return undefined;
  const stats = await stat(file);
  return stats.isFile() ? stats.size : undefined;
}

/**
 * Reads every line, to report all invalid ones, and changes the catalogue once, at the end: imports all pets or none,
 * and none if a line is invalid, unless `keepGoing`.
 *
 * @param staging receives the valid pets; `undefined` to only validate the lines.
 */
async function importPets(
  { context, contract }: Invocation,
  file: string,
  { keepIds, keepGoing }: ImportOptions,
  progress: Progress,
  staging?: PetImport,
): Promise<ImportResult> {
  let [validLines, invalidLines] = [0, 0];
  const validator = createPetValidator(contract.document, keepIds === true);
  for await (const { values, errors, bytesRead } of readLines(file, context, validator)) {
    validLines += values.length;
    invalidLines += errors.length;
    if (errors.length > 0) await write(context.stderr, errors.join(''));
    await staging?.add(values);
    progress.update(countOf(validLines, 'pet'), bytesRead);
  }
  if (staging === undefined || (invalidLines > 0 && !keepGoing)) return { validLines, invalidLines, imported: 0 };
  progress.announce(`Moving ${countOf(validLines, 'pet')} into the catalogue.`);
  return { validLines, invalidLines, imported: await staging.commit() };
}

function summary(result: ImportResult, { dryRun, keepGoing }: ImportOptions, seconds: number): string {
  const { validLines, invalidLines, imported } = result;
  const invalid = `Invalid lines: ${formatCount(invalidLines)} of ${formatCount(validLines + invalidLines)}.`;
  if (dryRun) return `${invalid} Nothing was imported (--dry-run).\n`;
  if (invalidLines > 0 && !keepGoing)
    return `${invalid} Nothing was imported. Correct them, or import the others with --keep-going.\n`;
  return `Imported ${countOf(imported, 'pet')} in ${seconds.toFixed(1)} s.${invalidLines > 0 ? ` ${invalid}` : ''}\n`;
}

async function runExport(
  invocation: Invocation,
  file: string | undefined,
  { withoutIds }: ExportOptions,
): Promise<void> {
  const { stdout, stderr, clock } = invocation.context;
  const progress = new Progress(stderr, clock, undefined);
  let exported = 0;
  const onChunk = (count: number) => {
    exported = count;
    // On one terminal, the progress would mix with the pets.
    if (!isStandardStream(file) || stdout.isTTY !== true) progress.update(countOf(count, 'pet'), 0);
  };
  await withStores(invocation, ({ transfer }) =>
    writeTo(file, stdout, exportLines(transfer.exportAll(), withoutIds === true, onChunk)),
  );
  if (!isStandardStream(file)) await write(stdout, `Exported ${countOf(exported, 'pet')} to ${printable(file)}.\n`);
}

/** Yields one line per pet, in chunks. `onChunk` receives the number of pets so far. */
async function* exportLines(
  pets: AsyncIterable<Json<Pet>>,
  withoutIds: boolean,
  onChunk: (count: number) => void,
): AsyncGenerator<string> {
  let chunk = '';
  let count = 0;
  for await (const pet of pets) {
    chunk += `${withoutIds ? withoutId(pet) : pet}\n`;
    count += 1;
    if (chunk.length < chunkLengthMin) continue;
    onChunk(count);
    yield chunk;
    chunk = '';
  }
  onChunk(count);
  if (chunk !== '') yield chunk;
}

/** Converts a Pet to a NewPet, which createPet and the import accept. */
function withoutId(pet: Json<Pet>): string {
  const { id: _id, ...others } = parseJson(Buffer.from(pet)) as object & { readonly id: unknown };
  return stringifyJson(others);
}

/** Prints the progress of a run that takes longer than a second: one line, and another one every 10 s. */
class Progress {
  private readonly startedAt: number;
  private nextLineAt: number;

  /** @param bytesTotal number of bytes to process; `undefined` if it is unknown. */
  constructor(
    private readonly output: Output,
    private readonly clock: Clock,
    private readonly bytesTotal: number | undefined,
  ) {
    this.startedAt = clock();
    this.nextLineAt = this.startedAt + showAfterMs;
  }

  get elapsedMs(): number {
    return this.clock() - this.startedAt;
  }

  /** @param done the progress in words: `10,000 pets`. */
  update(done: string, bytes: number): void {
    const now = this.clock();
    if (now < this.nextLineAt) return;
    this.nextLineAt = now + lineIntervalMs;
    const { bytesTotal } = this;
    const share = bytesTotal === undefined ? '' : `, ${String(Math.floor((100 * bytes) / bytesTotal))}%`;
    this.output.write(`${done} so far${share}.\n`);
  }

  /** Prints the name of the next phase of a long run. */
  announce(text: string): void {
    if (this.elapsedMs >= showAfterMs) this.output.write(`${text}\n`);
  }
}
