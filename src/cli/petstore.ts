#!/usr/bin/env node
import { contextOf } from './context.js';
import { runProgram } from './program.js';

// A reader may close the pipe (`petstore pets export | head`). Commands handle the error of their write; the error
// event must not end the process with a stack trace.
for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);

process.exitCode = await runProgram(process.argv.slice(2), contextOf(process));
