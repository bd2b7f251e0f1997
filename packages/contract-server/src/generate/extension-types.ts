import type { OpenAPIV3 } from 'openapi-types';
import { bodyRulesOf } from '../bodies/request-body.js';
import {
  type ContractDocument,
  keyPrefixesOf,
  plansOf,
  requirementsOf,
  type SecuritySchemeObject,
  securitySchemesOf,
} from '../contract/document.js';
import {
  type OperationEntry,
  operationsOf,
  type ParameterPlace,
  parametersIn,
  resolve,
} from '../contract/operations.js';
import { basePathOf } from '../contract/servers.js';
import { schemaOf, styleOf } from '../parameters/parameter-styles.js';

/** A contract with its extensions, which were checked when it was loaded. */
export type Contract = ContractDocument;

type Schema = OpenAPIV3.SchemaObject | OpenAPIV3.ReferenceObject;

/** Generates the interface `Contract`, with the types of the extensions and of other parts of the contract. */
export function extensionTypes(contract: Contract): string {
  return `/** The types of the contract. */
export interface Contract {
  readonly operations: operations;
  readonly schemas: ${contract.components?.schemas === undefined ? 'object' : "components['schemas']"};
  readonly paths: paths;
  /** The version of the contract, from \`info.version\`. */
  readonly version: ${union([contract.info.version])};
  /** The path prefix of every operation, from \`servers\`. */
  readonly pathPrefix: ${union([basePathOf(contract)])};
  /** The names of the plans, from \`x-rate-limit-plans\`. */
  readonly planName: ${union(Object.keys(plansOf(contract)))};
  /** The environments of API keys, from \`x-key-prefixes\`. */
  readonly environmentName: ${union(Object.keys(keyPrefixesOf(contract)))};
  /** The status of each error code, from \`x-error-codes\`. */
  readonly errorStatuses: {
${errorStatuses(contract)}  };
  /** The parameters and fields with a default, by operation. */
  readonly defaults: {
${defaults(contract)}  };
  /** How parameters are serialized that differ from the default of their place, by method and path. For clients. */
  readonly styles: {
${styles(contract)}  };
  /** The security schemes that clients can send credentials for. */
  readonly schemes: {
${schemes(contract)}  };
  /** The security requirements, by operation: the schemes that each requires. A request satisfies one of them. */
  readonly security: {
${security(contract)}  };
}
`;
}

function errorStatuses(contract: Contract): string {
  const lines = Object.entries(contract['x-error-codes']).map(
    ([code, { status, cause, resolution }]) =>
      `    /** ${[cause, resolution].filter(Boolean).join(' ').replaceAll('*/', '*\\/')} */\n    readonly ${code}: ${String(status)};\n`,
  );
  return lines.join('');
}

function defaults(contract: Contract): string {
  const lines = operationsOf(contract).map((entry) => {
    const namesIn = (place: ParameterPlace) =>
      union(
        parametersIn(place, contract, entry)
          .filter((parameter) => hasDefault(contract, schemaOf(parameter)))
          .map(({ name }) => name),
      );
    const places = (['query', 'header', 'cookie'] as const)
      .filter((place) => place !== 'cookie' || namesIn(place) !== 'never')
      .map((place) => `readonly ${place}: ${namesIn(place)}; `);
    const body = union(bodyDefaults(contract, entry));
    return `    readonly ${nameOf(entry.operation.operationId ?? '')}: { ${places.join('')}readonly body: ${body} };\n`;
  });
  return lines.join('');
}

function styles(contract: Contract): string {
  const lines = operationsOf(contract).flatMap((entry) => {
    const places = (['path', 'query', 'header', 'cookie'] as const).flatMap((place) => {
      const declared = parametersIn(place, contract, entry).flatMap((parameter) => {
        const style = styleType(parameter);
        return style === '' ? [] : [`readonly ${nameOf(parameter.name)}: { ${style} }`];
      });
      return declared.length === 0 ? [] : [`readonly ${place}: { ${declared.join('; ')} }`];
    });
    const name = JSON.stringify(`${entry.method} ${entry.path}`);
    return places.length === 0 ? [] : [`    readonly ${name}: { ${places.join('; ')} };\n`];
  });
  return lines.join('');
}

/** What of the serialization of a parameter differs from the default of its place. */
function styleType(parameter: OpenAPIV3.ParameterObject): string {
  const { in: place, content, allowReserved } = parameter;
  if (content !== undefined) return "readonly content: 'application/json'";
  const style = styleOf(parameter);
  const isExploded = parameter.explode ?? style === 'form';
  return [
    style !== styleOf({ name: '', in: place }) && `readonly style: '${style}'`,
    // The client explodes deepObject, whatever the contract says.
    style !== 'deepObject' && isExploded !== (style === 'form') && `readonly explode: ${String(isExploded)}`,
    allowReserved === true && 'readonly allowReserved: true',
  ]
    .filter(Boolean)
    .join('; ');
}

function schemes(contract: Contract): string {
  const lines = Object.entries(securitySchemesOf(contract)).flatMap(([name, node]) => {
    const type = schemeType(resolve<SecuritySchemeObject>(contract, node));
    return type === undefined ? [] : [`    readonly ${nameOf(name)}: { ${type} };\n`];
  });
  return lines.join('');
}

function schemeType(scheme: SecuritySchemeObject): string | undefined {
  if (scheme.type === 'apiKey')
    return `readonly type: 'apiKey'; readonly in: ${union([scheme.in])}; readonly name: ${union([scheme.name])}`;
  // The tokens of the others are bearer tokens (RFC 6750).
  const name = scheme.type === 'http' ? scheme.scheme.toLowerCase() : 'bearer';
  const isSent = ['http', 'oauth2', 'openIdConnect'].includes(scheme.type) && ['basic', 'bearer'].includes(name);
  return isSent ? `readonly type: 'http'; readonly scheme: ${union([name])}` : undefined;
}

function security(contract: Contract): string {
  const lines = operationsOf(contract).map(({ operation }) => {
    const requirements = requirementsOf(contract, operation)
      .map(Object.keys)
      .map((names) => tuple(names.map((name) => union([name]))));
    return `    readonly ${nameOf(operation.operationId ?? '')}: ${tuple(requirements)};\n`;
  });
  return lines.join('');
}

function tuple(types: readonly string[]): string {
  return `readonly [${types.join(', ')}]`;
}

/** The fields that have a default in each media type which declares them. */
function bodyDefaults(contract: Contract, { operation: { operationId = '' } }: OperationEntry): string[] {
  const fields = bodyRulesOf(contract, operationId).flatMap(({ schema }) =>
    Object.entries(resolve<OpenAPIV3.SchemaObject>(contract, schema).properties ?? {}),
  );
  const without = fields.filter(([, field]) => !hasDefault(contract, field)).map(([name]) => name);
  return [...new Set(fields.map(([name]) => name))].filter((name) => !without.includes(name));
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
