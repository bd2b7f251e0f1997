import { inspect } from 'node:util';
import { Command, CommanderError } from 'commander';
import { KeyCommandError } from '../api-keys/api-key-service.js';
import { BackupError, StartError } from '../lib/errors.js';
import { ApiError } from '../openapi/api-error.js';
import { contractUrl, readContract } from '../openapi/load-contract.js';
import { DuplicateIdsError } from '../pets/pet-store.js';
import { addBackup } from './commands/backup.js';
import { addKeysCommands } from './commands/keys.js';
import { addMigrate } from './commands/migrate.js';
import { addMock } from './commands/mock.js';
import { addPetsCommands } from './commands/pets.js';
import { type CommandContext, type Output, write } from './context.js';
import { closingHelp } from './help.js';
import type { Invocation } from './invocation.js';
import { printable } from './output/printable.js';

/**
 * Runs `petstore` with these arguments and resolves with its exit code: 0 when it did what was asked, 1 when it could
 * not, 2 when the arguments make no sense. Whatever goes wrong has been said on `stderr` by then.
 */
export async function runProgram(argv: readonly string[], context: CommandContext): Promise<number> {
  const contract = await readContract(contractUrl);
  const invocation: Invocation = { context, contract, exitCode: 0, exitCodeUnread: 0 };
  try {
    await createProgram(invocation).parseAsync(argv, { from: 'user' });
    return invocation.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (isClosedPipe(error)) return invocation.exitCodeUnread;
    await write(context.stderr, `${describeFailure(error)}\n`).catch(() => undefined);
    return 1;
  }
}

function createProgram(invocation: Invocation): Command {
  const { context, contract } = invocation;
  const program = new Command('petstore')
    .description(`Runs and tends the ${contract.document.info.title} service.`)
    .version(contract.document.info.version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void context.stdout.write(text),
      writeErr: (text) => void context.stderr.write(printable(text, '\n')),
      getOutHelpWidth: () => widthOf(context.stdout),
      getErrHelpWidth: () => widthOf(context.stderr),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .addHelpText('after', closingHelp);
  program
    .command('serve')
    .description('start the server; it stops on SIGTERM, SIGINT or SIGHUP')
    .action(async () => {
      const { runServer } = await import('./commands/run-server.js');
      invocation.exitCode = await runServer(context);
    });
  addMock(program, invocation);
  addKeysCommands(program, invocation);
  addPetsCommands(program, invocation);
  addMigrate(program, invocation);
  addBackup(program, invocation);
  return program;
}

function widthOf(output: Output): number {
  return (output.isTTY === true ? output.columns : undefined) ?? 100;
}

/** Nobody reads any more what is written: `head` does so all the time. */
function isClosedPipe(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED';
}

/** What the operator can act on is said in a sentence; a defect is shown with its stack. */
function describeFailure(error: unknown): string {
  const isForOperators = [KeyCommandError, BackupError, StartError, DuplicateIdsError].some(
    (kind) => error instanceof kind,
  );
  if (isForOperators) return printable((error as Error).message, '\n');
  if (error instanceof ApiError) return `The storage does not answer: ${causeOf(error)}.`;
  if (error instanceof Error && 'syscall' in error) return printable(error.message);
  return inspect(error);
}

function causeOf({ cause, message }: ApiError): string {
  return cause instanceof Error ? cause.message : message;
}
