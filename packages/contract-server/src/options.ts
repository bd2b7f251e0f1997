import type { Hooks } from '@contract-server/core/types/hooks.js';
import type { Caller, ContractTypes, Handlers, RouterHandlers, SchemeName } from '@contract-server/core/types/types.js';
import type { RequestHandler } from 'express';
import type { ApiKeyCaller } from './api-keys/api-key-security.js';
import type { CommandDefinition, CommandModule } from './cli/invocation.js';
import type { ApplicationSettings, SettingValues } from './config.js';
import type { BasicCredentials } from './http/security/basic-credentials.js';
import type { RouterSecurityContext, SecurityHandler } from './router/api-behaviour.js';
import type { RouterDefinition } from './router/create-router.js';
import type {
  ApiKeysPart,
  Application,
  ApplicationDependencies,
  ApplicationStores,
  SecurityContext,
  ServiceDefinition,
  StoresDefinition,
} from './service/definition.js';

/** The type of the callers that each security handler identifies, by scheme. */
export type CallersOf<Security> = {
  readonly [Scheme in keyof Security]: Security[Scheme] extends ApiKeysPart
    ? ApiKeyCaller
    : Security[Scheme] extends (...args: never[]) => infer Identified
      ? NonNullable<Awaited<Identified>>
      : never;
};

/** Required if an operation has a security requirement, unless only some operations are served. */
type SecurityOption<Contract extends ContractTypes, Security, Unhandled> = [Unhandled] extends ['next']
  ? {
      /** A handler for each security scheme that the operations with a handler require. */
      readonly security?: Partial<RouterSecurity<Contract>> & Security;
    }
  : [SchemeName<Contract>] extends [never]
    ? {
        /** A handler for each security scheme that operations require. Here, none does. */
        readonly security?: RouterSecurity<Contract> & Security;
      }
    : {
        /** A handler for each security scheme that operations require. */
        readonly security: RouterSecurity<Contract> & Security;
      };

/** A security handler for each scheme that an operation requires. */
export type RouterSecurity<Contract extends ContractTypes> = {
  readonly [Name in SchemeName<Contract>]: SecurityHandler<
    RouterSecurityContext,
    Caller,
    CredentialsOf<Contract, Name>
  >;
};

/** What a security handler receives: a name and a password of the HTTP authentication scheme Basic, otherwise text. */
export type CredentialsOf<Contract extends ContractTypes, Name extends string> = Contract extends {
  readonly schemes: Readonly<Record<Name, { readonly scheme: 'basic' }>>;
}
  ? BasicCredentials
  : string;

/** The options of `createRouter`, with the types of the contract. */
export type RouterOptions<
  Contract extends ContractTypes,
  Security,
  Unhandled extends 'next' | undefined = undefined,
> = Omit<RouterDefinition, 'security' | 'handlers' | 'unhandled' | 'before' | 'after'> &
  SecurityOption<Contract, Security, Unhandled> & {
    /**
     * `'next'` passes each request that no handler serves on to the next route of the application, unchanged: it is
     * neither authenticated nor counted. Default: such a request for a path of the contract is a 404, 405 or 501.
     */
    readonly unhandled?: Unhandled;
    /** One handler for each operation that declares a successful response; with `unhandled`, for some of them. */
    readonly handlers: [Unhandled] extends ['next']
      ? Partial<RouterHandlers<Contract, CallersOf<Security>>>
      : RouterHandlers<Contract, CallersOf<Security>>;
  } & Hooks<Contract, CallersOf<Security>>;

/** Creates the router of a contract. TypeScript infers the types of the callers from `security`. */
export type DefineRouter<Contract extends ContractTypes> = <Security, Unhandled extends 'next' | undefined = undefined>(
  options: RouterOptions<Contract, Security, Unhandled>,
) => Promise<RequestHandler>;

/** A security handler for each scheme that an operation requires, or `apiKeys()`. */
export type ServiceSecurity<Contract extends ContractTypes, Settings extends ApplicationSettings, Stores> = {
  readonly [Name in SchemeName<Contract>]:
    | SecurityHandler<SecurityContext<Stores, SettingValues<Settings>>, Caller, CredentialsOf<Contract, Name>>
    | ApiKeysPart;
};

/** The options of `createService` that the types of the contract do not determine. */
type CommonOptions = Omit<ServiceDefinition, 'create' | 'security' | 'settings' | 'stores'>;

/** The options of `createService`, with the types of the contract, the settings, the stores and the callers. */
export interface ServiceOptions<
  Contract extends ContractTypes,
  Settings extends ApplicationSettings,
  Stores extends ApplicationStores,
  Security,
> extends CommonOptions {
  /** Settings of the application. Their values are passed to `create` and to security handlers. */
  readonly settings?: Settings;
  /** The databases. Default: none. */
  readonly stores?: StoresDefinition<Stores>;
  /** A handler for each security scheme that operations require. */
  readonly security?: ServiceSecurity<Contract, Settings, Stores> & Security;
  /** Creates the handlers and the tasks of the application, when its stores are open. */
  create(
    dependencies: ApplicationDependencies<Stores, SettingValues<Settings>>,
  ): Omit<Application<Handlers<Contract, CallersOf<Security>>>, 'before' | 'after'> &
    Hooks<Contract, CallersOf<Security>>;
  /** Loads the commands of the application. */
  readonly commands?: () => Promise<CommandModule<Stores>>;
}

/** The options of `createService` for a contract with security requirements. */
interface SecuredServiceOptions<
  Contract extends ContractTypes,
  Settings extends ApplicationSettings,
  Stores extends ApplicationStores,
  Security,
> extends ServiceOptions<Contract, Settings, Stores, Security> {
  /** A handler for each security scheme that operations require. */
  readonly security: ServiceSecurity<Contract, Settings, Stores> & Security;
}

/**
 * Defines a service. TypeScript infers the types of the settings, the stores and the callers in this order, so write
 * these options in this order. `security` is required if an operation requires a scheme.
 */
export type DefineService<Contract extends ContractTypes> = [SchemeName<Contract>] extends [never]
  ? <const Settings extends ApplicationSettings, Stores extends ApplicationStores, Security>(
      options: ServiceOptions<Contract, Settings, Stores, Security>,
    ) => Service<Stores>
  : <const Settings extends ApplicationSettings, Stores extends ApplicationStores, Security>(
      options: SecuredServiceOptions<Contract, Settings, Stores, Security>,
    ) => Service<Stores>;

/** A service that can be run. */
export interface Service<Stores extends ApplicationStores = ApplicationStores> {
  /** For `startService` of @contract-server/testing. */
  readonly definition: CommandDefinition<Stores>;
  /** Runs the server until it is stopped, then ends the process. Arguments are options of `serve`. */
  run(process: NodeJS.Process): Promise<void>;
  /** Runs the command line with the arguments of the process, and sets its exit code. */
  runCommand(process: NodeJS.Process): Promise<void>;
}
