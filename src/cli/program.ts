import { readFileSync } from 'node:fs';
import { inspect, parseEnv } from 'node:util';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { KeyCommandError } from '../api-keys/api-key-service.js';
import { settings } from '../config.js';
import { ApiError, BackupError, StartError } from '../lib/errors.js';
import { contractUrl, readContract } from '../openapi/load-contract.js';
import { DuplicateIdsError } from '../pets/pet-store.js';
import { addBackup } from './commands/backup.js';
import { addKeysCommands } from './commands/keys.js';
import { addMigrate } from './commands/migrate.js';
import { addMock } from './commands/mock.js';
import { addPetsCommands } from './commands/pets.js';
import { type CommandContext, type Output, withEnv, write } from './context.js';
import { addListenOptions, type Invocation, type ListenOptions } from './invocation.js';
import { printable } from './output/format.js';
import { type Column, renderTable } from './output/table.js';

/**
 * Runs `petstore` with these arguments. Resolves with the exit code: 0 if it succeeded, 1 if it failed, 2 for invalid
 * arguments. Errors are printed to `stderr`.
 */
export async function runProgram(argv: readonly string[], context: CommandContext): Promise<number> {
  const contract = await readContract(contractUrl);
  const invocation: Invocation = { context, contract, exitCode: 0, exitCodeIfClosed: 0 };
  try {
    await createProgram(invocation).parseAsync(argv, { from: 'user' });
    return invocation.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (isClosedPipe(error)) return invocation.exitCodeIfClosed;
    await write(context.stderr, `${describeError(error)}\n`).catch(() => undefined);
    return 1;
  }
}

function createProgram(invocation: Invocation): Command {
  const { context, contract } = invocation;
  const program = new Command('petstore')
    .description(`Run and administer the ${contract.document.info.title} service.`)
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
    .option('--env-file <file>', 'read settings from a file; environment variables take precedence', readEnvFile)
    .hook('preAction', () => {
      const { envFile } = program.opts<{ readonly envFile?: CommandContext['env'] }>();
      if (envFile !== undefined) invocation.context = withEnv(context, { ...envFile, ...context.env });
    })
    .addHelpText('after', closingHelp);
  addServe(program, invocation);
  addMock(program, invocation);
  addKeysCommands(program, invocation);
  addPetsCommands(program, invocation);
  addMigrate(program, invocation);
  addBackup(program, invocation);
  return program;
}

/** Adds `petstore serve`. */
function addServe(program: Command, invocation: Invocation): void {
  const command = program.command('serve').description('start the server; stops on SIGTERM, SIGINT or SIGHUP');
  addListenOptions(command, invocation).action(async ({ host, port }: ListenOptions) => {
    const { context } = invocation;
    // Loaded on demand, because it imports the server.
    const { runServer } = await import('./commands/serve.js');
    const env = { ...context.env, ...(host && { HOST: host }), ...(port && { PORT: port }) };
    invocation.exitCode = await runServer(withEnv(context, env));
  });
}

const settingColumns: readonly Column<(typeof settings)[keyof typeof settings]>[] = [
  { heading: 'NAME', cell: ({ name }) => name },
  { heading: 'DEFAULT', cell: (setting) => setting.default || '-' },
  { heading: 'UNIT', cell: ({ unit }) => unit },
  { heading: 'DESCRIPTION', cell: ({ description }) => description },
];

/** The end of `petstore --help`: the settings, examples and exit codes. */
function closingHelp(): string {
  return `
Settings, read from the environment:
${renderTable(settingColumns, Object.values(settings)).replace(/^(?=.)/gm, '  ')}
Examples:
  petstore serve
  petstore mock --port 0
  petstore keys create --name "Mobile app" --plan pro --expires 90d
  petstore keys list --json
  petstore pets import pets.ndjson --dry-run
  petstore pets export --without-ids | gzip > pets.ndjson.gz
  petstore backup /backups/petstore-$(date +%F).db

Commands can run while a server with the same settings is running.
Exit codes: 0 success, 1 failure, 2 invalid arguments.`;
}

/** Parses a file like `.env`. @throws InvalidArgumentError if it cannot be read. */
function readEnvFile(file: string): CommandContext['env'] {
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

function widthOf(output: Output): number {
  return (output.isTTY === true ? output.columns : undefined) ?? 100;
}

/** Whether the reader has closed the pipe, as `head` does. */
function isClosedPipe(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED';
}

/** The message of an error that the operator can act on; any other error with its stack. */
function describeError(error: unknown): string {
  const isForOperators = [KeyCommandError, BackupError, StartError, DuplicateIdsError].some(
    (kind) => error instanceof kind,
  );
  if (isForOperators) return printable((error as Error).message, '\n');
  if (error instanceof ApiError && error.code === 'store_unavailable')
    return `The store is unavailable: ${causeOf(error)}.`;
  if (error instanceof ApiError) return error.message;
  if (error instanceof Error && 'syscall' in error) return printable(error.message);
  return inspect(error);
}

function causeOf({ cause, message }: ApiError): string {
  return cause instanceof Error ? cause.message : message;
}
