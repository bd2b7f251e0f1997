import type { OpenAPIV3 } from 'openapi-types';
import { bodyRulesOf } from '../bodies/request-body.js';
import type { Contract, Operation } from '../contract/contract.js';
import type { ContractDocument } from '../contract/document.js';
import { type Parameter, type ParameterPlace, parameterOf, parameterPlaces } from '../contract/parameters.js';
import type { Schemas } from '../contract/schemas.js';
import type { SecuritySchemeObject } from '../contract/security.js';
import { memberRulesOf } from '../schema/member-rules.js';
import type { Node } from '../schema/schema-joins.js';

type Schema = OpenAPIV3.SchemaObject | OpenAPIV3.ReferenceObject;

/** Generates the interface `Contract`, with the types of the extensions and of other parts of the contract. */
export function extensionTypes(contract: Contract): string {
  const { document } = contract;
  return `/** The types of the contract. */
export interface Contract {
  readonly operations: operations;
  readonly schemas: ${document.components?.schemas === undefined ? 'object' : "components['schemas']"};
  readonly paths: paths;
  /** The version of the contract, from \`info.version\`. */
  readonly version: ${union([document.info.version])};
  /** The path prefix of every operation, from \`servers\`. */
  readonly pathPrefix: ${union([contract.prefix])};
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
    return `    readonly ${nameOf(operation.id)}: { ${places.join('')}readonly body: ${body} };\n`;
  });
  return lines.join('');
}

function styles({ operations }: Contract): string {
  const lines = operations.flatMap(({ method, path, parameters }) => {
    const places = parameterPlaces.flatMap((place) => {
      const declared = parameters[place].flatMap((parameter) => {
        const style = styleType(parameter);
        return style === '' ? [] : [`readonly ${nameOf(parameter.name)}: { ${style} }`];
      });
      return declared.length === 0 ? [] : [`readonly ${place}: { ${declared.join('; ')} }`];
    });
    const name = JSON.stringify(`${method} ${path}`);
    return places.length === 0 ? [] : [`    readonly ${name}: { ${places.join('; ')} };\n`];
  });
  return lines.join('');
}

/** What of the serialization of a parameter differs from the default of its place. */
function styleType({ place, style, isExploded, isJson, declaration }: Parameter): string {
  if (isJson) return "readonly content: 'application/json'";
  return [
    style !== parameterOf({ name: '', in: place }).style && `readonly style: '${style}'`,
    // The client explodes deepObject, whatever the contract says.
    style !== 'deepObject' && isExploded !== (style === 'form') && `readonly explode: ${String(isExploded)}`,
    declaration.allowReserved === true && 'readonly allowReserved: true',
  ]
    .filter(Boolean)
    .join('; ');
}

function schemes({ securitySchemes }: Contract): string {
  const lines = [...securitySchemes].flatMap(([name, scheme]) => {
    const type = schemeType(scheme);
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

function security({ operations }: Contract): string {
  const lines = operations.map(({ id, requirements }) => {
    const types = requirements.map(Object.keys).map((names) => tuple(names.map((name) => union([name]))));
    return `    readonly ${nameOf(id)}: ${tuple(types)};\n`;
  });
  return lines.join('');
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
