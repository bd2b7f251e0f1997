import {
  anyFunction,
  anyObject,
  boolean,
  listOf,
  matching,
  type OptionRules,
  object,
  type Rule,
  recordOf,
  required,
  requireOptions,
  secret,
  text,
  withFunctions,
} from '@contract-server/core/lib/option-rules.js';
import type { Caller } from '@contract-server/core/types/types.js';
import type { Setting } from '../config.js';
import type { SecurityHandler } from '../router/api-behaviour.js';
import { behaviourRules, fileUrl } from '../router/option-table.js';
import type { ApiKeysPart, Application, Records, ServiceDefinition, StoresDefinition } from './definition.js';

const settingRules: OptionRules<Setting> = {
  name: required(matching('the name of an environment variable', /^[a-z_]\w*$/i)),
  default: secret(text),
  required: boolean,
  unit: text,
  description: required(text),
  secret: boolean,
  parse: anyFunction,
};

const storeRules: OptionRules<StoresDefinition> = {
  migrations: fileUrl,
  localTables: listOf(text),
  records: object<Records>({ table: required(text), one: required(text), many: required(text) }),
  sqlite: withFunctions('made with sqlite()', 'open', 'check'),
  postgres: withFunctions('made with postgres()', 'open', 'check'),
};

const keysPart = withFunctions('', 'openStore');
const securityHandler: Rule<SecurityHandler<never, Caller, never> | ApiKeysPart> = {
  kind: 'a function or apiKeys()',
  accepts: (value) => anyFunction.accepts(value as never) || keysPart.accepts(value),
  isSecret: true,
};

const serviceRules: OptionRules<ServiceDefinition & { readonly commands?: () => Promise<unknown> }> = {
  ...behaviourRules,
  name: required(matching('lower-case letters, digits and hyphens, the first one a letter', /^[a-z][a-z0-9-]*$/)),
  contract: required(fileUrl),
  checkedContract: fileUrl,
  settings: recordOf(object(settingRules)),
  stores: object(storeRules),
  security: secret(recordOf(securityHandler)),
  quotas: withFunctions('made with redisQuotas()', 'start', 'open'),
  metrics: withFunctions('made with metrics()', 'create'),
  reference: withFunctions('made with apiReference()', 'create'),
  create: required(anyFunction),
  commands: anyFunction,
};

/** @throws StartError for options of `createService` that its types do not allow. */
export function requireServiceOptions(definition: ServiceDefinition): void {
  requireOptions('createService', definition, serviceRules);
}

const applicationRules: OptionRules<Application> = {
  handlers: required(anyObject),
  check: anyFunction,
  maintain: anyFunction,
  middleware: listOf(anyFunction),
  routes: listOf(anyFunction),
  before: anyObject,
  after: anyObject,
};

/** @throws StartError for what `create` of a service returns, if its types do not allow it. */
export function requireApplication(application: Application): void {
  requireOptions('createService', application, applicationRules, 'create()');
}
