import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { type Command, InvalidArgumentError } from 'commander';
import { settingList } from '../config.js';
import { systemReasonOf } from '../lib/errors.js';
import { addDatabaseCommands } from './commands/database.js';
import { addKeysCommands } from './commands/keys.js';
import { addMock } from './commands/mock.js';
import { addPetsCommands, petsExamples } from './commands/pets.js';
import type { CommandContext } from './context.js';
import { addListenOptions, createCommand, type Invocation, type ListenOptions, runCommand } from './invocation.js';
import { type Column, renderTable } from './output/format.js';

/** Runs `petstore` with these arguments. Resolves with the exit code, as `runCommand` does. */
export function runProgram(argv: readonly string[], context: CommandContext): Promise<number> {
  return runCommand(createProgram, argv, context);
}

function createProgram(invocation: Invocation): Command {
  const { context, contract } = invocation;
  const program = createCommand('petstore', invocation)
    .description(`Run and administer the ${contract.document.info.title} service.`)
    // Not `--env-file`, which Node 20 reads itself, wherever it is on the command line.
    .option('--settings <file>', 'read settings from a file; environment variables take precedence', readSettings)
    .hook('preAction', () => {
      const { settings } = program.opts<{ readonly settings?: CommandContext['env'] }>();
      invocation.context = { ...context, env: { ...settings, ...context.env } };
    })
    .addHelpText('after', closingHelp);
  addServe(program, invocation);
  addMock(program, invocation);
  addKeysCommands(program, invocation);
  addPetsCommands(program, invocation);
  addDatabaseCommands(program, invocation);
  return program;
}

interface ServeOptions extends ListenOptions {
  readonly check?: true;
  readonly firstKey: boolean;
}

/** Adds `petstore serve`. */
function addServe(program: Command, invocation: Invocation): void {
  const command = program.command('serve').description('start the server; stops on SIGTERM, SIGINT or SIGHUP');
  addListenOptions(command, invocation)
    .option('--check', 'check the settings and the connections to the databases, and exit')
    .option('--no-first-key', 'create no API key if there are none; print the command that creates one')
    .action(async ({ check, firstKey, ...listenOptions }: ServeOptions) => {
      // Loaded on demand, because it imports the server.
      const { checkSettings, runServer } = await import('./commands/serve.js');
      if (check) await checkSettings(invocation, listenOptions);
      else invocation.exitCode = await runServer(invocation.context, listenOptions, firstKey);
    });
}

const settingColumns: readonly Column<(typeof settingList)[number]>[] = [
  { heading: 'NAME', cell: ({ name }) => name },
  { heading: 'DEFAULT', cell: (setting) => setting.default || '-' },
  { heading: 'UNIT', cell: ({ unit }) => unit },
  { heading: 'DESCRIPTION', cell: ({ description }) => description },
];

/** The end of `petstore --help`: the settings, examples and exit codes. */
function closingHelp(): string {
  return `
Settings, read from the environment:
${renderTable(settingColumns, settingList).replace(/^(?=.)/gm, '  ')}
Examples:
  petstore serve
  petstore keys create --name "Mobile app" --plan pro --expires 90d
${petsExamples}
  petstore backup /backups/petstore-$(date +%F).db

Commands can run while a server with the same settings is running.
Exit codes: 0 success, 1 failure, 2 invalid arguments or settings.`;
}

/** Parses a file like `.env`. @throws InvalidArgumentError if it cannot be read. */
function readSettings(file: string): CommandContext['env'] {
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new InvalidArgumentError(`It cannot be read: ${systemReasonOf(error)}.`);
  }
}
