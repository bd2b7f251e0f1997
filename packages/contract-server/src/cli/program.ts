import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { systemReasonOf } from '@contract-server/core/lib/errors.js';
import { readContract } from '@contract-server/core/load/load-contract.js';
import { type Command, InvalidArgumentError } from 'commander';
import { type SettingDescription, settingsOf } from '../config.js';
import { findApiKeys, settingsOwner } from '../service/definition.js';
import { requireServiceOptions } from '../service/option-table.js';
import { addDatabaseCommands } from './commands/database.js';
import { addMock } from './commands/mock.js';
import type { CommandContext } from './context.js';
import {
  addListenOptions,
  type CommandDefinition,
  createCommand,
  type Invocation,
  type ListenOptions,
  runCommand,
} from './invocation.js';
import { type Column, renderTable } from './output/format.js';

/** Runs the command of a service with these arguments. Resolves with the exit code, as `runCommand` does. */
export function runProgram(
  definition: CommandDefinition,
  argv: readonly string[],
  context: CommandContext,
): Promise<number> {
  const run = { context, exitCode: 0 };
  return runCommand(run, async () => {
    requireServiceOptions(definition);
    const contract = await readContract(definition);
    // The hook of `--settings` changes the invocation, so it is extended, not copied.
    const program = await createProgram(Object.assign(run, { definition, contract }));
    await program.parseAsync(argv, { from: 'user' });
  });
}

async function createProgram(invocation: Invocation): Promise<Command> {
  const { definition, context, contract } = invocation;
  const commands = await definition.commands?.();
  const program = createCommand(definition.name, contract.document.info.version, context)
    .description(`Run and administer the ${contract.document.info.title} service.`)
    // Not `--env-file`, which Node 20 reads itself, wherever it is on the command line.
    .option('--settings <file>', 'read settings from a file; environment variables take precedence', readSettings)
    .hook('preAction', () => {
      const { settings } = program.opts<{ readonly settings?: CommandContext['env'] }>();
      invocation.context = { ...context, env: { ...settings, ...context.env } };
    })
    .addHelpText('after', () => closingHelp(invocation, commands?.examples));
  addServe(program, invocation);
  addMock(program, invocation);
  if (findApiKeys(definition) !== undefined) {
    const { addKeysCommands } = await import('./commands/keys.js');
    addKeysCommands(program, invocation);
  }
  commands?.addCommands(program, invocation);
  addDatabaseCommands(program, invocation);
  return program;
}

interface ServeOptions extends ListenOptions {
  readonly check?: true;
  readonly firstKey?: boolean;
}

/** Adds `serve`. */
function addServe(program: Command, invocation: Invocation): void {
  const command = program.command('serve').description('start the server; stops on SIGTERM, SIGINT or SIGHUP');
  addListenOptions(command).option('--check', 'check the settings and the connections to the databases, and exit');
  if (findApiKeys(invocation.definition) !== undefined)
    command.option('--no-first-key', 'create no API key if there are none; print the command that creates one');
  command.action(async ({ check, firstKey, ...listenOptions }: ServeOptions) => {
    // Loaded on demand, because it imports the server.
    const { checkSettings, runServer } = await import('./commands/serve.js');
    if (check) await checkSettings(invocation, listenOptions);
    else invocation.exitCode = await runServer(invocation.definition, invocation.context, listenOptions, firstKey);
  });
}

const settingColumns: readonly Column<SettingDescription>[] = [
  { heading: 'NAME', cell: ({ name }) => name },
  { heading: 'DEFAULT', cell: (setting) => (setting.required ? 'required' : setting.default || '-') },
  { heading: 'UNIT', cell: ({ unit }) => unit },
  { heading: 'DESCRIPTION', cell: ({ description }) => description },
];

/** The end of `--help`: the settings, examples and exit codes. */
function closingHelp({ definition, contract }: Invocation, examples: readonly string[] = []): string {
  const { name, stores } = definition;
  const plans = Object.keys(contract.plans);
  const plan = plans[1] ?? plans[0] ?? '';
  const keys = findApiKeys(definition) && `keys create --name "Mobile app" --plan ${plan} --expires 90d`;
  const backup = stores?.sqlite && `backup /backups/${name}-$(date +%F).db`;
  const commands = stores?.sqlite && stores.postgres ? 'Commands other than copy' : 'Commands';
  const lines = ['serve', keys, ...examples, backup].filter((line) => line !== undefined);
  return `
Settings, read from the environment:
${renderTable(settingColumns, settingsOf(settingsOwner(definition))).replace(/^(?=.)/gm, '  ')}
Examples:
${lines.map((line) => `  ${name} ${line}`).join('\n')}

${commands} can run while a server with the same settings is running.
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
