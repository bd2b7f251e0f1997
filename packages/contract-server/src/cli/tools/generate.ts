import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CommandError } from '@contract-server/core/lib/errors.js';
import { printable } from '@contract-server/core/lib/printable.js';
import type { Command } from 'commander';
import { generatedFiles } from '../../generate/generated-files.js';
import { print } from '../context.js';
import { addJsonOption, type JsonOption, type Run } from '../invocation.js';
import { countOf } from '../output/format.js';
import { addReadOptions, contractArgument, type ReadOptions } from './contract-file.js';
import { withProgress } from './progress.js';

interface GenerateOptions extends JsonOption, ReadOptions {
  readonly output: string;
  readonly check?: true;
  readonly strict?: true;
  readonly all?: true;
}

/** What `generate --json` prints. */
export interface GenerateResult {
  readonly output: string;
  /** Whether the file was missing or different before it was written. */
  readonly isStale: boolean;
  readonly operations: number;
  readonly schemas: number;
  readonly warnings: readonly string[];
  /** The paths of all files that the contract consists of. */
  readonly files: readonly string[];
}

/** Where types are written by default. */
export const defaultOutput = 'generated/contract.d.ts';

/** Adds `generate`. */
export function addGenerate(program: Command, run: Run): void {
  const command = program
    .command('generate')
    .description('write the types of a contract, and what clients need of it')
    .addArgument(contractArgument('contract', 'OpenAPI document'))
    .option('--output <file>', 'file to write', defaultOutput)
    .option('--check', 'write nothing, and fail if the file is stale')
    .option('--strict', 'write nothing, and fail if there are warnings')
    .option('--all', 'report every problem of the contract instead of the first 20')
    .addHelpText('after', () => examples);
  addJsonOption(addReadOptions(command)).action((contract: URL, options: GenerateOptions) =>
    generate(contract, options, run),
  );
}

const examples = `
Examples:
  contract-server generate spec/petstore.yaml
  contract-server generate contract.yaml --output src/contract.d.ts
  contract-server generate contract.yaml --check      # in CI`;

async function generate(contract: URL, options: GenerateOptions, run: Run): Promise<void> {
  const { output, json, overlay, lenient: isLenient = false, all: reportsAll = false } = options;
  const { stdout, stderr } = run.context;
  const path = printable(relative('', fileURLToPath(contract)));
  const generated = await withProgress(stderr, `Generating types from ${path}…`, async () => {
    // Loaded on demand, because loading the TypeScript compiler takes a second.
    const { generateTypes } = await import('../../generate/generate-types.js').catch(explainMissing);
    return generateTypes(contract, { reportsAll, overlay, isLenient });
  });
  const { operations, schemas, warnings, files } = generated;
  const header = `// Generated from ${path} by \`contract-server generate\`. Not to be edited.`;
  const texts = generatedFiles(output, header, generated);
  const isStale = await differ(texts);
  const problem = problemOf(path, options, isStale, warnings);
  if (problem !== undefined) run.exitCode = 1;
  else if (isStale) await write(texts);
  const paths = files.map((file) => fileURLToPath(file));
  const result: GenerateResult = { output, isStale, operations, schemas, warnings, files: paths };
  if (json) return print(stdout, `${JSON.stringify(result, undefined, 2)}\n`);
  for (const warning of warnings) await print(stderr, `Warning: ${warning}\n`);
  if (problem !== undefined) return print(stderr, `${problem}\n`);
  const file = printable(output);
  const counts = `${countOf(operations, 'operation')}, ${countOf(schemas, 'schema')}`;
  return print(stdout, `${isStale ? `Wrote ${file}` : `${file} is up to date`}: ${counts}.\n`);
}

/** @throws CommandError if a package is missing that only this command needs, otherwise the error. */
function explainMissing(error: unknown): never {
  const { code, message } = error as NodeJS.ErrnoException;
  const isMissing = code === 'ERR_MODULE_NOT_FOUND' && /'(?:openapi-)?typescript'/.test(message);
  if (!isMissing) throw error;
  const packages = 'openapi-typescript and typescript';
  throw new CommandError(`generate needs ${packages}: npm install --save-dev openapi-typescript typescript@5.`);
}

/** Whether a file is missing, or has another text. */
async function differ(texts: ReadonlyMap<string, string>): Promise<boolean> {
  const found = await Promise.all([...texts.keys()].map((path) => readFile(path, 'utf8').catch(() => undefined)));
  return [...texts.values()].some((text, index) => text !== found[index]);
}

async function write(texts: ReadonlyMap<string, string>): Promise<void> {
  for (const [path, text] of texts) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}

/** Why the file is not written, although the contract is valid. */
function problemOf(
  path: string,
  { output: file, check, strict, overlay, lenient }: GenerateOptions,
  isStale: boolean,
  warnings: readonly string[],
): string | undefined {
  if (strict === true && warnings.length > 0) return 'Wrote nothing, because --strict allows no warnings.';
  if (check !== true || !isStale) return undefined;
  const output = printable(file);
  const option = output === defaultOutput ? '' : ` --output ${output}`;
  const overlaid = overlay === undefined ? '' : ` --overlay ${printable(relative('', fileURLToPath(overlay)))}`;
  return `${output} is stale. Run \`npx contract-server generate ${path}${overlaid}${lenient ? ' --lenient' : ''}${option}\`, and commit what it writes.`;
}
