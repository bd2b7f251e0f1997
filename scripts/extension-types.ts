import { type OpenAPI3, resolveRef } from 'openapi-typescript';
import type { ErrorCodeDocs } from '../src/openapi/extensions.js';

interface Schema {
  readonly $ref?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly schema?: Schema;
}

interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly $ref?: string;
    readonly content: Readonly<Record<string, { readonly schema?: Schema }>>;
  };
}

interface Scheme {
  readonly scheme?: string;
  readonly 'x-key-prefixes'?: object;
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/**
 * Generates `generated/extensions.d.ts`: the types of the extensions and of other parts of the contract that
 * openapi-typescript ignores.
 */
export function extensionTypes(contract: OpenAPI3): string {
  return [
    literal('ContractVersion', 'The version of the contract, from `info.version`.', contract.info.version),
    literal('PathPrefix', 'The path prefix of every operation: the relative URL of `servers`.', pathPrefix(contract)),
    errorStatuses(contract),
    planNames(contract),
    environmentNames(contract),
    defaults(contract),
  ].join('\n');
}

function literal(name: string, description: string, value: string): string {
  return `/** ${description} */\nexport type ${name} = '${value}';\n`;
}

function pathPrefix({ servers = [] }: OpenAPI3): string {
  return servers.find(({ url }) => url.startsWith('/'))?.url.replace(/\/$/, '') ?? '';
}

function errorStatuses(contract: OpenAPI3): string {
  const codes = contract['x-error-codes'] as Readonly<Record<string, ErrorCodeDocs>>;
  const lines = Object.entries(codes).map(
    ([code, { status, cause, resolution }]) =>
      `  /** ${[cause, resolution].filter(Boolean).join(' ').replaceAll('*/', '*\\/')} */\n  readonly ${code}: ${String(status)};\n`,
  );
  return `/** The status of each \`Error.code\`, from \`x-error-codes\`. */\nexport interface ErrorStatuses {\n${lines.join('')}}\n`;
}

function planNames(contract: OpenAPI3): string {
  const names = Object.keys(contract['x-rate-limit-plans'] as object);
  return `/** The names of the plans, from \`x-rate-limit-plans\`. */\nexport type PlanName = ${union(names)};\n`;
}

function environmentNames(contract: OpenAPI3): string {
  const schemes = Object.values(contract.components?.securitySchemes ?? {}) as Scheme[];
  const apiKey = schemes.find(({ scheme }) => scheme === 'bearer');
  const names = Object.keys(apiKey?.['x-key-prefixes'] ?? { production: '' });
  return `/** The environments of API keys, from \`x-key-prefixes\`. */\nexport type EnvironmentName = ${union(names)};\n`;
}

function defaults(contract: OpenAPI3): string {
  const lines = operationsOf(contract).map((operation) => {
    const names = (place: string) =>
      (operation.parameters ?? [])
        .map((parameter) => resolve(contract, parameter))
        .filter(
          (parameter) => parameter.in === place && resolve(contract, parameter.schema ?? {}).default !== undefined,
        )
        .map((parameter) => parameter.name);
    return (
      `  readonly ${nameOf(operation.operationId)}: { readonly query: ${union(names('query'))}; readonly body: ` +
      `${union(bodyDefaults(contract, operation))} };\n`
    );
  });
  return (
    '/** The parameters and fields with a default, by operation. */\nexport interface Defaults ' +
    `{\n${lines.join('')}}\n`
  );
}

function bodyDefaults(contract: OpenAPI3, operation: Operation): string[] {
  if (operation.requestBody === undefined) return [];
  const [media] = Object.values(resolve(contract, operation.requestBody).content);
  const properties = media === undefined ? {} : (resolve(contract, media.schema ?? {}).properties ?? {});
  return Object.keys(properties).filter((name) => properties[name]?.default !== undefined);
}

export function operationsOf(contract: OpenAPI3): Operation[] {
  return Object.values(contract.paths ?? {}).flatMap((item) =>
    Object.entries(item)
      .filter(([method]) => methods.includes(method))
      .map(([, operation]) => operation as Operation),
  );
}

function resolve<T extends { readonly $ref?: string }>(contract: OpenAPI3, node: T): T {
  const found = node.$ref === undefined ? node : resolveRef<T>(contract, node.$ref, { silent: false });
  if (found === undefined) throw new TypeError(`The contract has no ${String(node.$ref)}.`);
  return found;
}

/** A property name, in quotes if needed. */
function nameOf(id: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(id) ? id : JSON.stringify(id);
}

function union(names: readonly string[]): string {
  return names.length === 0
    ? 'never'
    : names.map((name) => (/['\\\n]/.test(name) ? JSON.stringify(name) : `'${name}'`)).join(' | ');
}
