import { type Json, parseJson, stringifyJson } from 'contract-server';
import {
  addJsonOption,
  type Command,
  type CommandContext,
  createSchemaValidator,
  type ExportOptions,
  type Invocation,
  type JsonOption,
  type NdjsonValidator,
  printable,
  printResult,
  readLines,
  requireBodyRule,
  withStores,
  write,
  writeTo,
} from 'contract-server/cli';
import type { OpenAPIV3 } from 'openapi-types';
import type { ImportedPet, Pet, PetImport } from './pet-store.js';
import type { PetStores } from './stores.js';

interface ImportOptions extends JsonOption {
  readonly keepIds?: true;
  readonly dryRun?: true;
  readonly keepGoing?: true;
}

interface PetsExportOptions extends ExportOptions {
  readonly withoutIds?: true;
}

/** The numbers of lines, without blank ones, and of imported pets. */
type ImportResult = Awaited<ReturnType<typeof importPets>>;

/** Minimum length of the chunks in which exported pets are written, in characters. */
const chunkLengthMin = 64 * 1024;

/**
 * The maximum id of an imported pet. Ids assigned later follow the greatest and must stay below 2^53, so half of them
 * remain.
 */
const importedIdMax = 2 ** 52;

/** No progress is shown for runs that are shorter. */
const showAfterMs = 1000;
const lineIntervalMs = 10_000;

export const examples: readonly string[] = [
  'pets import pets.ndjson --dry-run',
  'pets export --without-ids | gzip > pets.ndjson.gz',
];

/** The end of `petstore pets import --help`. */
const importHelp = `
At the end, all pets are moved into the catalogue together. Until that is done:
- With PostgreSQL, creations take up to 1 s longer, and their pets are listed after the import.
- With SQLite, creations return 503 if it takes longer than 0.6 s, the time for about 200,000 pets.`;

/** Adds `petstore pets …`. */
export function addCommands(program: Command, invocation: Invocation<PetStores>): void {
  const pets = program.command('pets').description('import and export pets');
  addJsonOption(pets.command('import <file>'))
    .description('add the pets of a file, one NewPet in JSON per line, all or none; - reads the standard input')
    .option('--keep-ids', 'keep the ids of a `petstore pets export` file; new ids continue after the highest')
    .option('--dry-run', 'validate the lines without importing them')
    .option('--keep-going', 'import the valid lines even if others are invalid')
    .addHelpText('after', importHelp)
    .action((file: string, options: ImportOptions) => runImport(invocation, file, options));
  pets
    .command('export [file]')
    .description(
      'write every pet as one Pet in JSON per line, in ascending order of id, for `petstore pets import --keep-ids`',
    )
    .option('--without-ids', 'omit the ids, for `petstore pets import` without --keep-ids')
    .option('--force', 'overwrite an existing file')
    .action((file: string | undefined, options: PetsExportOptions) => runExport(invocation, file, options));
}

async function runImport(invocation: Invocation<PetStores>, file: string, options: ImportOptions): Promise<void> {
  // Until the result is known, a closed pipe is a failure.
  invocation.exitCode = 1;
  const { clock } = invocation.context;
  const startedAt = clock();
  const result = options.dryRun
    ? await importPets(invocation, file, options)
    : await withStores(
        invocation,
        ({ application: { transfer } }) => importPets(invocation, file, options, transfer.startImport()),
        { creates: true },
      );
  invocation.exitCode = result.invalidLines > 0 ? 1 : 0;
  const seconds = (clock() - startedAt) / 1000;
  const { hasIds: _, ...counts } = result;
  const value = { ...counts, dryRun: options.dryRun === true, seconds };
  await printResult(invocation, options, value, summary(result, options, seconds));
}

/**
 * Reads every line, to report all invalid ones, and changes the catalogue once, at the end: imports all pets or none,
 * and none if a line is invalid, unless `keepGoing`.
 *
 * @param staging receives the valid pets; `undefined` to only validate the lines.
 */
async function importPets(
  { context, contract }: Invocation<PetStores>,
  file: string,
  { keepIds, keepGoing }: ImportOptions,
  staging?: PetImport,
) {
  let [validLines, invalidLines, hasIds] = [0, 0, false];
  const showProgress = createProgress(context);
  const validator = createPetValidator(contract, keepIds === true);
  for await (const { values, errors, unknownFields } of readLines(file, context, validator)) {
    validLines += values.length;
    invalidLines += errors.length;
    hasIds ||= unknownFields.has('id');
    if (errors.length > 0) await write(context.stderr, errors.join(''));
    await staging?.add(values);
    showProgress(validLines);
  }
  const isCommitted = staging !== undefined && (invalidLines === 0 || keepGoing === true);
  return { validLines, invalidLines, imported: isCommitted ? await staging.commit() : 0, hasIds };
}

/**
 * Validates the lines of an import: a line is valid if and only if createPet accepts it as its body. If `withIds`, it
 * also has the id of the pet, up to 2^52.
 */
function createPetValidator(contract: Invocation['contract'], withIds: boolean): NdjsonValidator<ImportedPet> {
  const { schemas } = contract;
  const rule = requireBodyRule(contract, 'createPet');
  const newPet = schemas.resolve<OpenAPIV3.SchemaObject>(rule.schema);
  const pet = schemas.resolve<OpenAPIV3.SchemaObject>({ $ref: '#/components/schemas/Pet' });
  const withId = {
    ...newPet,
    required: ['id', ...(newPet.required ?? [])],
    properties: { id: { ...pet.properties?.['id'], maximum: importedIdMax }, ...newPet.properties },
  };
  return createSchemaValidator(withIds ? withId : newPet, rule, schemas);
}

function summary(result: ImportResult, { dryRun, keepGoing }: ImportOptions, seconds: number): string {
  const { validLines, invalidLines, imported, hasIds } = result;
  const counts = `Invalid lines: ${format(invalidLines)} of ${format(validLines + invalidLines)}.`;
  const invalid = hasIds ? `${counts} To keep the ids of the lines, use --keep-ids.` : counts;
  if (dryRun) return `${invalid} Nothing was imported (--dry-run).\n`;
  if (invalidLines > 0 && !keepGoing)
    return `${invalid} Nothing was imported. Correct them, or import the others with --keep-going.\n`;
  return `Imported ${countOf(imported)} in ${seconds.toFixed(1)} s.${invalidLines > 0 ? ` ${invalid}` : ''}\n`;
}

async function runExport(
  invocation: Invocation<PetStores>,
  file: string | undefined,
  options: PetsExportOptions,
): Promise<void> {
  const { context } = invocation;
  const { stdout } = context;
  // On one terminal, the progress would mix with the pets.
  const isToStdout = file === undefined || file === '-';
  const showProgress = isToStdout && stdout.isTTY === true ? () => undefined : createProgress(context);
  let count = 0;
  /** Yields one line per pet, in chunks. */
  async function* exportLines(pets: AsyncIterable<Json<Pet>>): AsyncGenerator<string> {
    let chunk = '';
    for await (const pet of pets) {
      chunk += `${options.withoutIds ? withoutId(pet) : pet}\n`;
      count += 1;
      if (chunk.length < chunkLengthMin) continue;
      showProgress(count);
      yield chunk;
      chunk = '';
    }
    if (chunk !== '') yield chunk;
  }
  await withStores(invocation, ({ application: { transfer } }) =>
    writeTo(file, options, stdout, exportLines(transfer.exportAll())),
  );
  if (!isToStdout) await write(stdout, `Exported ${countOf(count)} to ${printable(file)}.\n`);
}

/** Converts a Pet to a NewPet, which createPet and the import accept. */
function withoutId(pet: Json<Pet>): string {
  const { id: _id, ...others } = parseJson(Buffer.from(pet)) as object & { readonly id: unknown };
  return stringifyJson(others);
}

/** Returns a function that prints a line of progress after a second, and another one every 10 s. */
function createProgress({ stderr, clock }: CommandContext): (count: number) => void {
  let nextLineAt = clock() + showAfterMs;
  return (count) => {
    const now = clock();
    if (now < nextLineAt) return;
    nextLineAt = now + lineIntervalMs;
    stderr.write(`${countOf(count)} so far.\n`);
  };
}

/** `1 pet`, `10,000 pets` */
function countOf(count: number): string {
  return `${format(count)} ${count === 1 ? 'pet' : 'pets'}`;
}

function format(count: number): string {
  return count.toLocaleString('en-US');
}
