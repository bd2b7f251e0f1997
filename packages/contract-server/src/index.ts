import type { ContractTypes } from '@contract-server/core/types/types.js';
import type { Express } from 'express';
import { type CommandContext, contextOf } from './cli/context.js';
import type { CommandDefinition } from './cli/invocation.js';
import type { DefineRouter, DefineService, Service } from './options.js';
import type { ListeningServer, ListenOptions } from './router/listen.js';

export type { UploadedFile } from '@contract-server/core/bodies/uploaded-file.js';
export { idempotencyRetentionSecondsOf } from '@contract-server/core/contract/contract.js';
export type { ContractDocument, Quota } from '@contract-server/core/contract/document.js';
export type { Links } from '@contract-server/core/contract/links.js';
export type { Json, JsonValue } from '@contract-server/core/json/exact-json.js';
export { parseJson, stringifyJson } from '@contract-server/core/json/exact-json.js';
export type { Int64 } from '@contract-server/core/json/int64.js';
export type { Clock } from '@contract-server/core/lib/clock.js';
export type { ApiErrorOf, ErrorCode, Violation } from '@contract-server/core/lib/errors.js';
export { ApiError, CommandError, errorsOf, invalidCursor } from '@contract-server/core/lib/errors.js';
export { type FileBody, type FileOptions, file } from '@contract-server/core/responses/file-body.js';
export type { ServerSentEvent } from '@contract-server/core/responses/server-sent-events.js';
export type { Hooks } from '@contract-server/core/types/hooks.js';
export type {
  Caller,
  ContractTypes,
  Handler,
  HandlerContext,
  Handlers,
  OperationId,
  OperationRequest,
  OperationResponse,
  RouterHandlers,
  Schema,
} from '@contract-server/core/types/types.js';
export type { ApplicationSettings, Setting, SettingValues } from './config.js';
export type { Queryable } from './database/queryable.js';
export type { ErrorContent, ErrorResponseOptions } from './http/errors/error-responses.js';
export type { BasicCredentials } from './http/security/basic-credentials.js';
export type { Validated } from './http/validated-request.js';
export { validatedOf } from './http/validated-request.js';
export type { CallersOf, RouterOptions, Service, ServiceOptions } from './options.js';
export type { SecurityHandler } from './router/api-behaviour.js';
export type { ListeningServer, ListenOptions } from './router/listen.js';
export type {
  Application,
  ApplicationDependencies,
  ApplicationStores,
  SecurityContext,
} from './service/definition.js';

/**
 * Creates the Express middleware that serves a contract:
 *
 *     app.use(await createRouter<Contract>()({ contract: 'contract.yaml', security, handlers }));
 *
 * The first call takes the types of the contract, the second one infers those of the callers from `security`. Mounted
 * without a path, the router serves the path prefix of the contract; mounted at a path, that path replaces the prefix.
 * Requests for other paths go on to the next middleware.
 *
 * Rejects with an Error whose message lists what is wrong with the contract, or with the options: a missing handler, a
 * security scheme without a handler, an unknown or wrong option.
 */
export function createRouter<Contract extends ContractTypes>(): DefineRouter<Contract>;
export function createRouter(...options: readonly unknown[]): DefineRouter<ContractTypes> {
  requireNone('createRouter', options);
  return async (definition) => {
    // Loaded on demand, because commands of a service do not need Express.
    const service = await import('./router/create-router.js');
    return service.createRouter(definition);
  };
}

/**
 * Listens with the server of a service in place of `app.listen(port)`. Express sets the prototype of each request and
 * response, which takes longer than the router; this server creates them with the right one. Malformed HTTP gets an
 * error of the API, and `close` completes the requests in progress. Routes and middleware of the application work as
 * before.
 *
 *     const { url, close } = await listen(app, { port: 8080 });
 *     process.once('SIGTERM', close);
 *
 * Rejects with an Error if the server cannot listen, or an option is wrong.
 */
export async function listen(app: Express, options: ListenOptions): Promise<ListeningServer> {
  const service = await import('./router/listen.js');
  return service.listen(app, options);
}

/** The options of the second call, in an application without types. @throws TypeError */
function requireNone(name: string, options: readonly unknown[]): void {
  if (options.length > 0)
    throw new TypeError(`Pass the options of ${name} to a second call: ${name}()({ … }). The first call takes types.`);
}

/**
 * Defines a service, a whole process:
 *
 *     const service = createService<Contract>()({ name: 'library', contract, settings, stores, security, create });
 *     await service.run(process);
 *
 * The first call takes the types of the contract. The second one infers the types of the settings, the stores and the
 * callers, so write these options in this order. Nothing is read or opened before `run`.
 */
export function createService<Contract extends ContractTypes>(): DefineService<Contract>;
export function createService(...misplaced: readonly unknown[]): DefineService<ContractTypes> {
  requireNone('createService', misplaced);
  const define = (options: object): Service => {
    // Validation ensures the types of the contract at run time.
    const definition = options as CommandDefinition;
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
  return define as unknown as DefineService<ContractTypes>;
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
