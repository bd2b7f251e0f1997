import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import type { PetArchive, PetStaging } from '../../pets/pet-store.js';
import { createPetValidator } from '../../pets/pet-validator.js';
import { write, writeJson } from '../context.js';
import { openPrivateFile } from '../files.js';
import { type Invocation, withStores } from '../invocation.js';
import { countOf, formatCount } from '../output/format.js';
import { formatInvalidLine } from '../output/invalid-lines.js';
import { printable } from '../output/printable.js';
import { Progress } from '../output/progress.js';
import { standardStream } from '../output/standard-stream.js';
import { exportLines } from './export-pets.js';
import { type ImportResult, importPets } from './import-pets.js';

interface ImportOptions {
  readonly keepIds?: true;
  readonly dryRun?: true;
  readonly keepGoing?: true;
  readonly json?: true;
}

interface ExportOptions {
  readonly withoutIds?: true;
}

/** How much of a file is read at once, in bytes: the animals in it are staged together. */
const readBytes = 256 * 1024;

/** Adds `petstore pets …`. */
export function addPetsCommands(program: Command, invocation: Invocation): void {
  const pets = program.command('pets').description('move a whole catalogue in and out');
  pets
    .command('import <file>')
    .description('add the animals of a file, one NewPet in JSON per line, all or none; - reads the standard input')
    .option(
      '--keep-ids',
      'keep the ids of a file that `petstore pets export` wrote; new ids continue after the greatest',
    )
    .option('--dry-run', 'only check the lines')
    .option('--keep-going', 'import the good lines although others are faulty')
    .option('--json', 'sum up for programs: JSON with stable field names')
    .action((file: string, options: ImportOptions) => runImport(invocation, file, options));
  pets
    .command('export [file]')
    .description(
      'write every animal as one Pet in JSON per line, in ascending order of id, as `petstore pets import --keep-ids` takes them',
    )
    .option('--without-ids', 'as `petstore pets import` takes them without --keep-ids')
    .action((file: string | undefined, options: ExportOptions) => runExport(invocation, file, options));
}

async function runImport(invocation: Invocation, file: string, options: ImportOptions): Promise<void> {
  invocation.exitCodeUnread = 1;
  const { stdout, stderr, clock, stdin } = invocation.context;
  const isStandard = file === standardStream;
  const progress = new Progress(stderr, clock, isStandard ? undefined : await sizeOf(file));
  const importInto = (staging: PetStaging | undefined) =>
    importPets(isStandard ? stdin : createReadStream(file, { highWaterMark: readBytes }), {
      reader: createPetValidator(invocation.contract.document, options.keepIds === true),
      staging,
      keepGoing: options.keepGoing === true,
      onFaults: (faults) => {
        progress.clear();
        return write(stderr, faults.map(formatInvalidLine).join(''));
      },
      onProgress: (animals, bytes) => progress.update(countOf(animals, 'animal'), bytes),
      onMove: (animals) => progress.say(`Moving ${countOf(animals, 'animal')} into the catalogue.`),
    }).finally(() => progress.clear());
  const result = options.dryRun
    ? await importInto(undefined)
    : await withStores(invocation, ({ stores }) => importInto(stores.archive.stage()));
  if (result.faultyLines > 0) invocation.exitCode = 1;
  invocation.exitCodeUnread = invocation.exitCode;
  const seconds = progress.elapsedMs / 1000;
  if (options.json) await writeJson(stdout, { ...result, dryRun: options.dryRun === true, seconds });
  else await write(stdout, summary(result, options, seconds));
}

/** The size of a file; of anything else, like a pipe, it is not known beforehand. */
async function sizeOf(file: string): Promise<number | undefined> {
  const stats = await stat(file);
  return stats.isFile() ? stats.size : undefined;
}

function summary(result: ImportResult, { dryRun, keepGoing }: ImportOptions, seconds: number): string {
  const { validLines, faultyLines, imported } = result;
  const faults = `Faulty lines: ${formatCount(faultyLines)} of ${formatCount(validLines + faultyLines)}.`;
  if (dryRun) return `${faults} Nothing was imported (--dry-run).\n`;
  if (faultyLines > 0 && !keepGoing) {
    return `${faults} Nothing was imported. Correct them, or import the others with --keep-going.\n`;
  }
  return `Imported ${countOf(imported, 'animal')} in ${seconds.toFixed(1)} s.${faultyLines > 0 ? ` ${faults}` : ''}\n`;
}

async function runExport(
  invocation: Invocation,
  file: string | undefined,
  { withoutIds }: ExportOptions,
): Promise<void> {
  const { stdout, stderr, clock } = invocation.context;
  const isStandard = file === undefined || file === standardStream;
  // On one terminal the signs of life would get between the animals.
  const progress = isStandard && stdout.isTTY === true ? undefined : new Progress(stderr, clock, undefined);
  let exported = 0;
  const count = (animals: number) => {
    exported = animals;
    progress?.update(countOf(animals, 'animal'), 0);
  };
  const lines = (archive: PetArchive) => Readable.from(exportLines(archive.exportAll(), withoutIds === true, count));
  await withStores(invocation, async ({ stores }) =>
    isStandard
      ? pipeline(lines(stores.archive), stdout, { end: false })
      : pipeline(lines(stores.archive), await openPrivateFile(file)),
  ).finally(() => progress?.clear());
  if (!isStandard) await write(stdout, `Exported ${countOf(exported, 'animal')} to ${printable(file)}.\n`);
}
