#!/usr/bin/env node
import { contextOf } from './cli/context.js';

const args = process.argv.slice(2);
const context = contextOf(process);
if (args.length === 0) {
  const { runServer } = await import('./cli/commands/serve.js');
  await runServer(context);
} else {
  // Loaded on demand: a start without options does not need the command line.
  const { runProgram } = await import('./cli/program.js');
  process.exitCode = await runProgram(['serve', ...args], context);
}
