import { inspect } from 'node:util';
import { StoreEvent } from '@contract-server/core/lib/errors.js';
import { printable } from '@contract-server/core/lib/printable.js';
import type { ServedContract } from '@contract-server/core/load/load-contract.js';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { type Config, readConfig, settings } from '../config.js';
import { type ApplicationStores, type ServiceDefinition, settingsOwner } from '../service/definition.js';
import type { OpenedKeys, Stores } from '../service/open-stores.js';
import { openAll } from '../service/resource-stack.js';
import { type CommandContext, type Output, print } from './context.js';
import { describeError, exitCodeOf, toClauses } from './describe-error.js';

/** The definition of a service with its command line. */
export interface CommandDefinition<Stores extends ApplicationStores = ApplicationStores>
  extends ServiceDefinition<Stores> {
  /** Loads the commands of the application. */
  commands?(): Promise<CommandModule<Stores>>;
}

/** A module with commands of the application, which is loaded when the command line runs. */
export interface CommandModule<Stores extends ApplicationStores = ApplicationStores> {
  /** Adds commands to the command line of the service. */
  addCommands(program: Command, invocation: Invocation<Stores>): void;
  /** Commands for the examples of `--help`. */
  readonly examples?: readonly string[];
}

/** One run of the command line of a service. */
export interface Invocation<Application extends ApplicationStores = ApplicationStores> extends Run {
  readonly definition: CommandDefinition<Application>;
  /** `--settings` replaces it. */
  context: CommandContext;
  readonly contract: ServedContract;
}

/** Creates a command that prints to the context, as its subcommands do. */
export function createCommand(name: string, version: string, { stdout, stderr }: CommandContext): Command {
  return new Command(name)
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void stdout.write(printable(text, '\n')),
      writeErr: (text) => void stderr.write(printable(text, '\n')),
      // The suggestion for a misspelled name is in parentheses on a line of its own.
      outputError: (text, print) => print(`${toClauses(text.trim().replace(/\n\((.+)\)$/, '. $1'))}\n`),
      getOutHelpWidth: () => widthOf(stdout),
      getErrHelpWidth: () => widthOf(stderr),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
}

/** A run of the command line. */
export interface Run {
  readonly context: CommandContext;
  /** The exit code, unless the command throws; also if the reader closes the output before it is complete. */
  exitCode: number;
}

/**
 * Runs a command. Resolves with the exit code: 0 if it succeeded, 1 if it failed, 2 for invalid arguments or settings.
 * Errors are printed to `stderr`.
 */
export async function runCommand(run: Run, command: () => Promise<unknown>): Promise<number> {
  const { stderr } = run.context;
  try {
    await command();
    return run.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (isClosedPipe(error)) return run.exitCode;
    await print(stderr, `${describeError(error)}\n`).catch(() => undefined);
    return exitCodeOf(error);
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

/**
 * Opens the stores, also while a server runs on them, and closes them afterwards. They must exist, unless the command
 * `creates` them: in a wrong place, it would find no data.
 *
 * @throws StartError
 */
export async function withStores<T, Application extends ApplicationStores>(
  { definition, context, contract }: Invocation<Application>,
  work: (stores: Stores<Application>) => Promise<T>,
  { creates = false } = {},
): Promise<T> {
  // Loaded on demand: help and usage errors do not need the stores.
  const { openStores } = await import('../service/open-stores.js');
  const config = readConfig(settingsOwner(definition), context.env, contract.document);
  const report = createReport(context);
  return openAll(report, async (opened) => {
    const options = { definition, contract, clock: context.clock, report, mustExist: !creates };
    const stores = opened.add(await openStores(config, 'command', options));
    const result = await work(stores);
    await opened.close();
    return result;
  });
}

/** Returns a function that prints outages, and internal errors with their stacks, so that they can be reported. */
export function createReport({ stderr }: CommandContext): (event: unknown) => void {
  return (event) =>
    void stderr.write(printable(`${event instanceof StoreEvent ? event.message : inspect(event)}\n`, '\n'));
}

/** Opens the stores as `withStores` does, and passes the API keys, which the service has. */
export function withKeys<T>(
  invocation: Invocation,
  work: (keys: NonNullable<OpenedKeys>, stores: Stores) => Promise<T>,
  options?: { readonly creates: boolean },
): Promise<T> {
  return withStores(
    invocation,
    (stores) => {
      if (stores.apiKeys === undefined) throw new TypeError('The service has no API keys.');
      return work(stores.apiKeys, stores);
    },
    options,
  );
}

/** The settings that have an option, which overrides them. */
export type ListenOptions = Partial<Pick<Config, 'host' | 'port'>>;

/** Adds the options of commands that listen. */
export function addListenOptions(command: Command): Command {
  const { host, port } = settings;
  return command
    .option('--host <address>', 'address to listen on (default: HOST)', optionParser(host.parse))
    .option('--port <port>', 'port to listen on; 0 for a free one (default: PORT)', optionParser(port.parse));
}

/** Returns a parser of an option. @param parse throws an Error whose message completes "it …". */
export function optionParser<T>(parse: (text: string) => T) {
  return (text: string): T => {
    try {
      return parse(text);
    } catch (error) {
      throw new InvalidArgumentError(`It ${(error as Error).message}`);
    }
  };
}

export interface JsonOption {
  readonly json?: true;
}

export function addJsonOption(command: Command): Command {
  return command.option('--json', 'print JSON with stable field names and ISO 8601 times, for programs');
}

/** Prints the value with --json, otherwise the text. */
export function printResult(
  { context }: Pick<Invocation, 'context'>,
  { json }: JsonOption,
  value: unknown,
  text: string,
): Promise<void> {
  return print(context.stdout, json ? `${JSON.stringify(value, undefined, 2)}\n` : text);
}
