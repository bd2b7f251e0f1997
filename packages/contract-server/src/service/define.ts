import type { ApplicationSettings, SettingValues } from '../config.js';
import type { ApiKeyCaller } from '../http/security.js';
import type { Caller, ContractTypes, Handlers, SchemeName } from '../openapi/types.js';
import type { RouterDefinition } from './create-router.js';
import type {
  ApiKeys,
  Application,
  ApplicationDependencies,
  ApplicationStores,
  SecurityContext,
  SecurityHandler,
  ServiceDefinition,
} from './definition.js';

/** The type of the callers that each security handler identifies, by scheme. */
export type CallersOf<Security> = {
  readonly [Scheme in keyof Security]: Security[Scheme] extends ApiKeys
    ? ApiKeyCaller
    : Security[Scheme] extends (...args: never[]) => infer Identified
      ? Extract<Awaited<Identified>, Caller>
      : never;
};

/** Required if an operation has a security requirement. */
type SecurityOption<Contract extends ContractTypes, Security> = [SchemeName<Contract>] extends [never]
  ? { readonly security?: Security }
  : { readonly security: Security };

/** A security handler for each scheme that an operation requires. */
export type RouterSecurity<Contract extends ContractTypes> = Readonly<
  Record<SchemeName<Contract>, SecurityHandler<Pick<SecurityContext, 'request'>>>
>;

/** The options of `createRouter`, with the types of the contract. */
export type RouterOptions<Contract extends ContractTypes, Security> = Omit<RouterDefinition, 'security' | 'handlers'> &
  SecurityOption<Contract, Security> & { readonly handlers: Handlers<Contract, CallersOf<Security>> };

/** A security handler for each scheme that an operation requires, or `apiKeys()`. */
export type ServiceSecurity<Contract extends ContractTypes, Stores, Settings extends ApplicationSettings> = Readonly<
  Record<SchemeName<Contract>, SecurityHandler<SecurityContext<Stores, SettingValues<Settings>>> | ApiKeys>
>;

/** The options of `createService`, with the types of the contract. */
export type ServiceOptions<
  Contract extends ContractTypes,
  Settings extends ApplicationSettings,
  Stores extends ApplicationStores,
  Security,
> = Omit<ServiceDefinition<Stores>, 'create' | 'security' | 'settings'> & {
  /** Settings of the application. Their values are passed to `create` and to security handlers. */
  readonly settings?: Settings;
} & SecurityOption<Contract, Security> & {
    create(
      dependencies: ApplicationDependencies<Stores, SettingValues<Settings>>,
    ): Application<Handlers<Contract, CallersOf<Security>>>;
  };
