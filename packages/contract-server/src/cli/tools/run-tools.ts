import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { packageFolder } from '../../lib/package-folder.js';
import type { CommandContext } from '../context.js';
import { createCommand, type Run, runCommand } from '../invocation.js';
import { addDev } from './dev.js';
import { addDiff } from './diff.js';
import { addGenerate } from './generate.js';
import { addMock } from './mock.js';
import { addNew } from './new.js';

/** Runs `contract-server` with these arguments. Resolves with the exit code, as `runCommand` does. */
export function runTools(argv: readonly string[], context: CommandContext): Promise<number> {
  const run: Run = { context, exitCode: 0 };
  return runCommand(run, () => createTools(run).parseAsync(argv, { from: 'user' }));
}

function createTools(run: Run): Command {
  const manifest = readFileSync(new URL('package.json', packageFolder), 'utf8');
  const { version } = JSON.parse(manifest) as { readonly version: string };
  const program = createCommand('contract-server', version, run.context)
    .description('Tools for an HTTP API and its OpenAPI document, the contract.')
    .addHelpText('after', () => closingHelp);
  addNew(program, run);
  addGenerate(program, run);
  addDiff(program, run);
  addMock(program, run);
  addDev(program, run);
  return program;
}

const closingHelp = `
Examples:
  contract-server new ../library
  contract-server generate contract.yaml
  contract-server diff released.yaml contract.yaml
  contract-server mock contract.yaml --port 8081
  contract-server dev

\`contract-server help <command>\` lists the options of a command.
Exit codes: 0 success, 1 failure, 2 invalid arguments.`;
