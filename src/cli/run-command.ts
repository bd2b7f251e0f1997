import { inspect } from 'node:util';
import { Command, CommanderError } from 'commander';
import { InvalidLimitsError } from '../api-keys/api-key.js';
import { InvalidSettingsError } from '../config.js';
import { ApiError, CommandError } from '../lib/errors.js';
import { ContractError } from '../openapi/contract-error.js';
import { type Output, write } from './context.js';
import type { Invocation } from './invocation.js';
import { printable } from './output/format.js';

/** Creates a command with the version of the contract, whose subcommands print to the context too. */
export function createCommand(name: string, { context, contract }: Invocation): Command {
  return new Command(name)
    .version(contract.document.info.version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void context.stdout.write(text),
      writeErr: (text) => void context.stderr.write(printable(text, '\n')),
      // The suggestion for a misspelled name is in parentheses on a line of its own.
      outputError: (text, print) => print(`${toClauses(text.trim().replace(/\n\((.+)\)$/, '. $1'))}\n`),
      getOutHelpWidth: () => widthOf(context.stdout),
      getErrHelpWidth: () => widthOf(context.stderr),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
}

/**
 * Runs a command. Resolves with the exit code: 0 if it succeeded, 1 if it failed, 2 for invalid arguments or settings.
 * Errors are printed to `stderr`.
 */
export async function runCommand(command: Command, argv: readonly string[], invocation: Invocation): Promise<number> {
  try {
    await command.parseAsync(argv, { from: 'user' });
    return invocation.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (isClosedPipe(error)) return invocation.exitCodeIfClosed;
    await write(invocation.context.stderr, `${describeError(error)}\n`).catch(() => undefined);
    return exitCodeOf(error);
  }
}

export function exitCodeOf(error: unknown): number {
  return error instanceof InvalidSettingsError || error instanceof InvalidLimitsError ? 2 : 1;
}

/** `error: <what is wrong>; <what to do>` for an error that the operator can act on; any other with its stack. */
export function describeError(error: unknown): string {
  if (!isForOperators(error)) return inspect(error);
  const isOutage = error instanceof ApiError && error.code === 'store_unavailable' && error.cause instanceof Error;
  const lines = (isOutage ? `The store is unavailable: ${(error.cause as Error).message}` : error.message).split('\n');
  return lines.map((line) => `error: ${toClauses(printable(line))}`).join('\n');
}

function isForOperators(error: unknown): error is Error {
  const isExpected = [CommandError, ApiError, ContractError].some((kind) => error instanceof kind);
  return isExpected || (error instanceof Error && 'syscall' in error);
}

/** Joins sentences with semicolons, in lower case, as commander and compilers write their errors. */
function toClauses(text: string): string {
  const sentences = text.replace(/\.$/, '').split(/\.\s+(?=[A-Z])/);
  return sentences
    .map((sentence) => sentence.replace(/^(?!Redis|\w+[A-Z])[A-Z]/, (letter) => letter.toLowerCase()))
    .join('; ');
}

function widthOf(output: Output): number {
  return (output.isTTY === true ? output.columns : undefined) ?? 100;
}

/** Whether the reader has closed the pipe, as `head` does. */
function isClosedPipe(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED';
}
