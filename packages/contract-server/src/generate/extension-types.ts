import { bodyRulesOf } from '@contract-server/core/bodies/request-body.js';
import type { Contract, Operation } from '@contract-server/core/contract/contract.js';
import type { ContractDocument } from '@contract-server/core/contract/document.js';
import type { ParameterPlace } from '@contract-server/core/contract/parameters.js';
import type { Schemas } from '@contract-server/core/contract/schemas.js';
import { memberRulesOf } from '@contract-server/core/schema/member-rules.js';
import type { Node } from '@contract-server/core/schema/schema-joins.js';
import type { OpenAPIV3 } from 'openapi-types';
import { clientValuesOf } from './client-values.js';

type Schema = OpenAPIV3.SchemaObject | OpenAPIV3.ReferenceObject;

/** Generates the interface `Contract`, with the types of the extensions and of other parts of the contract. */
export function extensionTypes(contract: Contract): string {
  const { document, operations } = contract;
  const values = clientValuesOf(contract);
  const security = Object.fromEntries(operations.map(({ id, requirements }) => [id, requirements.map(Object.keys)]));
  return `/** The types of the contract. */
export interface Contract {
  readonly operations: operations;
  readonly schemas: ${document.components?.schemas === undefined ? 'object' : "components['schemas']"};
  readonly paths: paths;
  /** The version of the contract, from \`info.version\`. */
  readonly version: ${union([values.version])};
  /** The path prefix of every operation, from \`servers\`. */
  readonly pathPrefix: ${union([values.pathPrefix])};
  /** The names of the plans, from \`x-rate-limit-plans\`. */
  readonly planName: ${union(Object.keys(contract.plans))};
  /** The environments of API keys, from \`x-key-prefixes\`. */
  readonly environmentName: ${union(Object.keys(contract.keyPrefixes))};
  /** The status of each error code, from \`x-error-codes\`. */
  readonly errorStatuses: {
${errorStatuses(document)}  };
  /** The parameters and fields with a default, by operation. */
  readonly defaults: {
${defaults(contract)}  };
  /** The path prefixes of operations that have one of their own, by method and path. For clients. */
  readonly prefixes: {
${members(values.prefixes)}  };
  /** How parameters are serialized that differ from the default of their place, by method and path. For clients. */
  readonly styles: {
${members(values.styles)}  };
  /** The media types of successful responses that are not JSON, by method and path. For clients. */
  readonly mediaTypes: {
${members(values.mediaTypes)}  };
  /** The security schemes that clients can send credentials for. */
  readonly schemes: {
${members(values.schemes)}  };
  /** The security requirements, by operation: the schemes that each requires. A request satisfies one of them. */
  readonly security: {
${members(security)}  };
}
`;
}

function errorStatuses(document: ContractDocument): string {
  const lines = Object.entries(document['x-error-codes']).map(
    ([code, { status, cause, resolution }]) =>
      `    /** ${[cause, resolution].filter(Boolean).join(' ').replaceAll('*/', '*\\/')} */\n    readonly ${code}: ${String(status)};\n`,
  );
  return lines.join('');
}

function defaults(contract: Contract): string {
  const lines = contract.operations.map((operation) => {
    const namesIn = (place: ParameterPlace) =>
      union(
        operation.parameters[place]
          .filter(({ schema }) => hasDefault(contract.schemas, schema))
          .map(({ name }) => name),
      );
    const places = (['query', 'header', 'cookie'] as const)
      .filter((place) => place !== 'cookie' || namesIn(place) !== 'never')
      .map((place) => `readonly ${place}: ${namesIn(place)}; `);
    const body = union(bodyDefaults(contract, operation));
    return `${summaryOf(operation)}    readonly ${nameOf(operation.id)}: { ${places.join('')}readonly body: ${body} };\n`;
  });
  return lines.join('');
}

/** For editors, which show it where a handler is written. A handler of a deprecated operation is not deprecated. */
function summaryOf({ declaration: { summary, description } }: Operation): string {
  const text = (summary ?? description ?? '')
    .trim()
    .replaceAll('*/', '*\\/')
    .replace(/\s*\n\s*/g, ' ');
  return text === '' ? '' : `    /** ${text} */\n`;
}

/** The members of an object, a line for each, with literal types. */
function members(values: object): string {
  return Object.entries(values)
    .map(([name, value]) => `    readonly ${nameOf(name)}: ${literalType(value)};\n`)
    .join('');
}

function literalType(value: unknown): string {
  if (typeof value === 'string') return union([value]);
  if (Array.isArray(value)) return tuple(value.map(literalType));
  if (typeof value !== 'object' || value === null) return String(value);
  const own = Object.entries(value).map(([name, member]) => `readonly ${nameOf(name)}: ${literalType(member)}`);
  return `{ ${own.join('; ')} }`;
}

function tuple(types: readonly string[]): string {
  return `readonly [${types.join(', ')}]`;
}

/** The fields that have a default in each media type which declares them. A request has none that are `readOnly`. */
function bodyDefaults(contract: Contract, operation: Operation): string[] {
  const { schemas } = contract;
  const fields = bodyRulesOf(contract, operation)
    .flatMap(({ schema }) => Object.entries(schemas.resolve<OpenAPIV3.SchemaObject>(schema).properties ?? {}))
    .filter(([, field]) => !memberRulesOf(schemas).isMarked('readOnly', field as Node));
  const without = fields.filter(([, field]) => !hasDefault(schemas, field)).map(([name]) => name);
  return [...new Set(fields.map(([name]) => name))].filter((name) => !without.includes(name));
}

function hasDefault(schemas: Schemas, schema: Schema): boolean {
  return schemas.resolve<OpenAPIV3.SchemaObject>(schema).default !== undefined;
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
