#!/usr/bin/env node
/** `petstore-mock`: `petstore mock` without the service, in a package of its dependencies only (`npm run mock`). */
import { contractUrl, readContract } from '../openapi/load-contract.js';
import { addMockOptions } from './commands/mock.js';
import { contextOf } from './context.js';
import { createCommand, runCommand } from './invocation.js';

const contract = await readContract(contractUrl);
const invocation = { context: contextOf(process), contract, exitCode: 0 };
const command = addMockOptions(createCommand('petstore-mock', invocation), invocation);
process.exitCode = await runCommand(command, process.argv.slice(2), invocation);
