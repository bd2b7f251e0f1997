#!/usr/bin/env node
/** `petstore-mock`: `petstore mock` without the service, in a package of its dependencies only (`npm run mock`). */
import { addMockOptions } from './commands/mock.js';
import { contextOf } from './context.js';
import { createCommand, type Invocation, runCommand } from './invocation.js';

const create = (invocation: Invocation) => addMockOptions(createCommand('petstore-mock', invocation), invocation);
process.exitCode = await runCommand(create, process.argv.slice(2), contextOf(process));
