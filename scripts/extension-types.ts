import type { OpenAPIV3 } from 'openapi-types';
import type { ErrorCodeDocs, OperationExtensions } from '../src/openapi/extensions.js';
import { findJson } from '../src/openapi/media-types.js';
import {
  type OperationEntry,
  operationsOf,
  type ParameterPlace,
  parametersIn,
  resolve,
} from '../src/openapi/operations.js';
import { basePathOf } from '../src/openapi/servers.js';

/** A contract with its extensions, which were checked when it was loaded. */
export type Contract = OpenAPIV3.Document<OperationExtensions> & Readonly<Record<`x-${string}`, object>>;

type Schema = OpenAPIV3.SchemaObject | OpenAPIV3.ReferenceObject;

interface Scheme {
  readonly scheme?: string;
  readonly 'x-key-prefixes'?: object;
}

/**
 * Generates `generated/extensions.d.ts`: the types of the extensions and of other parts of the contract that
 * openapi-typescript ignores.
 */
export function extensionTypes(contract: Contract): string {
  return [
    literal('ContractVersion', 'The version of the contract, from `info.version`.', contract.info.version),
    literal('PathPrefix', 'The path prefix of every operation, from `servers`.', basePathOf(contract)),
    errorStatuses(contract),
    planNames(contract),
    environmentNames(contract),
    defaults(contract),
  ].join('\n');
}

function literal(name: string, description: string, value: string): string {
  return `/** ${description} */\nexport type ${name} = '${value}';\n`;
}

function errorStatuses(contract: Contract): string {
  const codes = contract['x-error-codes'] as unknown as Readonly<Record<string, ErrorCodeDocs>>;
  const lines = Object.entries(codes).map(
    ([code, { status, cause, resolution }]) =>
      `  /** ${[cause, resolution].filter(Boolean).join(' ').replaceAll('*/', '*\\/')} */\n  readonly ${code}: ${String(status)};\n`,
  );
  return `/** The status of each \`Error.code\`, from \`x-error-codes\`. */\nexport interface ErrorStatuses {\n${lines.join('')}}\n`;
}

function planNames(contract: Contract): string {
  const names = Object.keys(contract['x-rate-limit-plans'] as object);
  return `/** The names of the plans, from \`x-rate-limit-plans\`. */\nexport type PlanName = ${union(names)};\n`;
}

function environmentNames(contract: Contract): string {
  const schemes = Object.values(contract.components?.securitySchemes ?? {}) as Scheme[];
  const apiKey = schemes.find(({ scheme }) => scheme === 'bearer');
  const names = Object.keys(apiKey?.['x-key-prefixes'] ?? { production: '' });
  return `/** The environments of API keys, from \`x-key-prefixes\`. */\nexport type EnvironmentName = ${union(names)};\n`;
}

function defaults(contract: Contract): string {
  const lines = operationsOf(contract).map((entry) => {
    const namesIn = (place: ParameterPlace) =>
      union(
        parametersIn(place, contract, entry)
          .filter(({ schema = {} }) => hasDefault(contract, schema))
          .map(({ name }) => name),
      );
    const places = (['query', 'header'] as const).map((place) => `readonly ${place}: ${namesIn(place)}; `);
    const body = union(bodyDefaults(contract, entry));
    return `  readonly ${nameOf(entry.operation.operationId ?? '')}: { ${places.join('')}readonly body: ${body} };\n`;
  });
  return (
    '/** The parameters and fields with a default, by operation. */\nexport interface Defaults ' +
    `{\n${lines.join('')}}\n`
  );
}

function bodyDefaults(contract: Contract, { operation: { requestBody } }: OperationEntry): string[] {
  const { content } =
    requestBody === undefined ? {} : resolve<Partial<OpenAPIV3.RequestBodyObject>>(contract, requestBody);
  const { schema = {} } = findJson(content)?.[1] ?? {};
  const { properties = {} } = resolve<OpenAPIV3.SchemaObject>(contract, schema);
  return Object.keys(properties).filter((name) => hasDefault(contract, properties[name] ?? {}));
}

function hasDefault(contract: Contract, schema: Schema): boolean {
  return resolve<OpenAPIV3.SchemaObject>(contract, schema).default !== undefined;
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
