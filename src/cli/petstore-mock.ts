#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { StartError } from '../lib/errors.js';
import { contractUrl, readContract } from '../openapi/load-contract.js';
import { addMockOptions } from './commands/mock.js';
import { contextOf, write } from './context.js';

/** `petstore-mock`: `petstore mock` without the service, in a package of its dependencies only (`npm run mock`). */
const context = contextOf(process);
const contract = await readContract(contractUrl);
const command = new Command('petstore-mock').version(contract.document.info.version).exitOverride();
try {
  await addMockOptions(command, { context, contract, exitCode: 0, exitCodeIfClosed: 0 }).parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else if (error instanceof StartError) {
    await write(context.stderr, `${error.message}\n`);
    process.exitCode = 1;
  } else throw error;
}
