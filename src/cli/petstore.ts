#!/usr/bin/env node
import { contextOf } from './context.js';
import { runProgram } from './program.js';

// A reader that has seen enough (`petstore pets export | head`) closes the pipe. Commands notice by themselves that
// they write in vain; the event that comes beside it must not end the process with a stack.
for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);

process.exitCode = await runProgram(process.argv.slice(2), contextOf(process));
