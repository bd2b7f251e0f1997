import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { write } from '../context.js';
import { addJsonOption, type JsonOption, type Run } from '../invocation.js';
import { countOf } from '../output/format.js';
import { contractArgument } from './contract-file.js';
import { withProgress } from './progress.js';

interface GenerateOptions extends JsonOption {
  readonly output: string;
  readonly check?: true;
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
    .description('write the types of a contract')
    .addArgument(contractArgument('contract', 'OpenAPI document'))
    .option('--output <file>', 'file to write', defaultOutput)
    .option('--check', 'write nothing, and fail if the file is stale')
    .addHelpText('after', () => examples);
  addJsonOption(command).action((contract: URL, options: GenerateOptions) => generate(contract, options, run));
}

const examples = `
Examples:
  contract-server generate spec/petstore.yaml
  contract-server generate contract.yaml --output src/contract.d.ts
  contract-server generate contract.yaml --check      # in CI`;

async function generate(contract: URL, { output, check, json }: GenerateOptions, run: Run): Promise<void> {
  const { stdout, stderr } = run.context;
  const path = relative('', fileURLToPath(contract));
  const generated = await withProgress(stderr, `Generating types from ${path}…`, async () => {
    // Loaded on demand, because loading the TypeScript compiler takes a second.
    const { generateTypes } = await import('../../generate/generate-types.js');
    return generateTypes(contract);
  });
  const { operations, schemas, warnings, files } = generated;
  const types = `// Generated from ${path} by \`contract-server generate\`. Not to be edited.\n${generated.types}`;
  const isStale = (await readFile(output, 'utf8').catch(() => undefined)) !== types;
  if (isStale && check !== true) {
    await mkdir(dirname(output), { recursive: true });
    await writeFile(output, types);
  }
  if (isStale && check === true) run.exitCode = 1;
  const result: GenerateResult = {
    output,
    isStale,
    operations,
    schemas,
    warnings,
    files: files.map((file) => fileURLToPath(file)),
  };
  if (json) return write(stdout, `${JSON.stringify(result, undefined, 2)}\n`);
  for (const warning of warnings) await write(stderr, `Warning: ${warning}\n`);
  if (isStale && check === true)
    return write(stderr, `${output} is stale. Run \`contract-server generate\`, and commit what it writes.\n`);
  const counts = `${countOf(operations, 'operation')}, ${countOf(schemas, 'schema')}`;
  return write(stdout, `${isStale ? `Wrote ${output}` : `${output} is up to date`}: ${counts}.\n`);
}
