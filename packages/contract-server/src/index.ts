import { type CommandContext, contextOf } from './cli/context.js';
import type { CommandDefinition } from './cli/invocation.js';
import type { ContractTypes, Handlers, OperationId } from './openapi/types.js';
import type { Application, ApplicationDependencies, ApplicationStores } from './service/definition.js';

export type { Json, JsonValue } from './json/exact-json.js';
export { parseJson, stringifyJson } from './json/exact-json.js';
export type { Int64 } from './json/int64.js';
export type { Clock } from './lib/clock.js';
export type { ApiErrorOf, ErrorCode } from './lib/errors.js';
export { ApiError, CommandError, errorsOf, invalidCursor } from './lib/errors.js';
export { withTimeout } from './lib/timeout.js';
export { accelerate } from './openapi/accelerate.js';
export type { ContractDocument } from './openapi/document.js';
export { idempotencyRetentionSecondsOf } from './openapi/document.js';
export type { Links } from './openapi/links.js';
export type {
  Caller,
  ContractTypes,
  Handler,
  Handlers,
  OperationId,
  OperationRequest,
  OperationResponse,
  RequestMetadata,
  Schema,
} from './openapi/types.js';
export type { Application, ApplicationDependencies, ApplicationStores } from './service/definition.js';

/** The definition of a service, with the types of its contract. */
export interface TypedDefinition<Contract extends ContractTypes, Stores extends ApplicationStores>
  extends Omit<CommandDefinition<Stores>, 'create'> {
  create(dependencies: ApplicationDependencies<Stores, OperationId<Contract>>): Application<Handlers<Contract>>;
}

/** A service that can be run. */
export interface Service<Stores extends ApplicationStores = ApplicationStores> {
  readonly definition: CommandDefinition<Stores>;
  /** Runs the server until it is stopped, then ends the process. Arguments are options of `serve`. */
  run(process: NodeJS.Process): Promise<void>;
  /** Runs the command line with the arguments of the process, and sets its exit code. */
  runCommand(process: NodeJS.Process): Promise<void>;
}

/**
 * Defines a service: `createService<Contract>()({ name: 'library', … })`. The first call takes the types of the
 * contract, the second one infers those of the stores. Nothing is opened before `run`.
 */
export function createService<Contract extends ContractTypes>() {
  return <Stores extends ApplicationStores>(typed: TypedDefinition<Contract, Stores>): Service<Stores> => {
    // Validation ensures the types of the contract at run time.
    const definition = typed as unknown as CommandDefinition<Stores>;
    return {
      definition,
      run: async (process) => {
        const [args, context] = [process.argv.slice(2), contextOf(process)];
        if (args.length === 0) await runServer(definition, context);
        else process.exitCode = await runProgram(definition, ['serve', ...args], context);
      },
      runCommand: async (process) => {
        process.exitCode = await runProgram(definition, process.argv.slice(2), contextOf(process));
      },
    };
  };
}

/** Loads only the server: a start without options does not need the command line. */
async function runServer(definition: CommandDefinition, context: CommandContext): Promise<void> {
  const serve = await import('./cli/commands/serve.js');
  await serve.runServer(definition, context);
}

async function runProgram(
  definition: CommandDefinition,
  args: readonly string[],
  context: CommandContext,
): Promise<number> {
  const program = await import('./cli/program.js');
  return program.runProgram(definition, args, context);
}
