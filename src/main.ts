#!/usr/bin/env node
import { runServer } from './cli/commands/serve.js';
import { contextOf } from './cli/context.js';

const args = process.argv.slice(2);
if (args.length === 0) await runServer(contextOf(process));
else {
  // Loaded on demand: a start without options does not need the command line.
  const { runProgram } = await import('./cli/program.js');
  process.exitCode = await runProgram(['serve', ...args], contextOf(process));
}
