#!/usr/bin/env node
/** `contract-server`: the tools for a contract. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Command } from 'commander';
import { ContractError } from '../openapi/contract-error.js';
import { describeError, exitCodeOf } from './describe-error.js';

interface GenerateOptions {
  readonly output: string;
  readonly check?: true;
}

const program = new Command('contract-server').description(
  'Tools for a service that is built from its OpenAPI document.',
);
program
  .command('generate <contract>')
  .description('write the types of a contract')
  .option('--output <file>', 'the file to write', 'generated/contract.d.ts')
  .option('--check', 'write nothing, and fail if the file is stale')
  .action(generate);

try {
  await program.parseAsync();
} catch (error) {
  // Each line begins with the place of a mistake, as compilers print it.
  console.error(error instanceof ContractError ? error.message : describeError(error));
  process.exitCode = exitCodeOf(error);
}

async function generate(contract: string, { output, check }: GenerateOptions): Promise<void> {
  // Loaded on demand: the TypeScript compiler takes a second.
  const { generateTypes } = await import('../generate/generate-types.js');
  const banner = `// Generated from ${relative('', contract)} by \`contract-server generate\`. Not to be edited.\n`;
  const types =
    banner + (await generateTypes(pathToFileURL(contract), (warning) => console.error(`Warning: ${warning}`)));
  if (check !== true) {
    await mkdir(dirname(output), { recursive: true });
    await writeFile(output, types);
  } else if ((await readFile(output, 'utf8').catch(() => undefined)) !== types) {
    console.error(`${output} is stale. Run \`contract-server generate\`, and commit what it writes.`);
    process.exitCode = 1;
  }
}
