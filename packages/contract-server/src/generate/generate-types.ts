import { randomUUID } from 'node:crypto';
import { type Contract, contractOf } from '@contract-server/core/contract/contract.js';
import type { ContractDocument } from '@contract-server/core/contract/document.js';
import { componentPointer } from '@contract-server/core/load/component-references.js';
import { type LoadOptions, loadDocument } from '@contract-server/core/load/load-document.js';
import { createTypeConfig } from '@contract-server/core/load/type-extension.js';
import { describesBinary } from '@contract-server/core/schema/binary-schema.js';
import type { OpenAPIV3 } from 'openapi-types';
import openapiTypescript, { addJSDocComment, astToString, type OpenAPI3 } from 'openapi-typescript';
import ts from 'typescript';
import { clientValuesOf, literalOf } from './client-values.js';
import { completeSchemas } from './complete-schemas.js';
import { removeContradictions } from './discriminators.js';
import { exactTypes, helpers } from './exact-types.js';
import { extensionTypes } from './extension-types.js';
import { markProperty, markValues } from './read-write-marks.js';
import { nameRecursiveSchemas } from './recursive-schemas.js';

/** The types of a contract, and what they were generated from. */
export interface GeneratedTypes {
  readonly types: string;
  /** The object literal of the values that clients need. */
  readonly values: string;
  /** Their numbers. */
  readonly operations: number;
  readonly schemas: number;
  /** A line for each part of the contract that is accepted but not applied. */
  readonly warnings: readonly string[];
  /** Of the contract, those that it refers to, and its overlay. */
  readonly files: readonly URL[];
}

/**
 * Generates the types of a contract: those of openapi-typescript, and the interface `Contract`, which also has what
 * openapi-typescript ignores. Properties with a default are optional.
 *
 * @throws ContractError if the contract cannot be read, is invalid, or contains something that is not supported.
 */
export async function generateTypes(
  url: URL,
  options: Pick<LoadOptions, 'reportsAll' | 'overlay' | 'isLenient'> = {},
): Promise<GeneratedTypes> {
  const { document, warnings, files, overlay } = await loadDocument(url, options);
  const contract = contractOf(document as ContractDocument);
  return {
    types: `${await openapiTypes(contract)}\n${extensionTypes(contract)}`,
    values: literalOf(clientValuesOf(contract)),
    operations: contract.operations.length,
    schemas: Object.keys(contract.document.components?.schemas ?? {}).length,
    warnings,
    files: [...files, ...(overlay ? [overlay] : [])].map((file) => file.url),
  };
}

async function openapiTypes(contract: Contract): Promise<string> {
  const nodes = await openapiTypescript(withReferencesOnly(contract), {
    redocly: await createTypeConfig(contract.document.openapi),
    // By default, a property with a default would be required in every type. Requests may omit it.
    defaultNonNullable: false,
    // An object without properties has any.
    emptyObjectsUnknown: true,
    readWriteMarkers: true,
    immutable: true,
    transform: (schema) => {
      if (isWideInteger(schema as Readonly<Record<string, unknown>>)) return wideInteger(schema);
      // For clients, as the documentation of openapi-typescript shows it.
      return describesBinary(schema) ? orNull(ts.factory.createTypeReferenceNode('Blob'), schema) : undefined;
    },
    // A reference has no description: the one of its target.
    transformProperty: (property, schema: { description?: string; $ref?: string }, { ctx }) => {
      if (schema.$ref !== undefined) addJSDocComment(ctx.resolve(schema.$ref) ?? {}, property);
      return markProperty(contract.schemas, property, schema);
    },
  });
  for (const node of nodes) describeOperations(node, contract);
  return (
    withHelpers(withMarkedTexts(astToString([...nameRecursiveSchemas(nodes.map(exactTypes))])))
      // The library's `Readable` and `Writable` treat the arrays of `immutable` as objects.
      .replaceAll(/\(infer E\)\[\] \? (\w+)<E>\[\]/g, 'readonly (infer E)[] ? readonly $1<E>[]')
      // Its `WithRequired` does not compile for a schema that allows null, because null has no properties.
      .replace(
        /(type WithRequired<T, K) extends keyof T(> = T & {\s+\[P in K\]-\?: )T\[P\]/,
        '$1 extends PropertyKey$2P extends keyof T ? T[P] : unknown',
      )
  );
}

/**
 * A copy with the marks of values, and without what openapi-typescript would load as well: a `$ref` in data, such as an
 * example, values of examples, and files and names in the mapping of a discriminator.
 */
function withReferencesOnly({ document, schemas, operations: declared }: Contract): OpenAPI3 {
  function revive(this: object, key: string, value: unknown): unknown {
    if (key === 'discriminator') referOnly((value as OpenAPIV3.DiscriminatorObject | null)?.mapping);
    const isLoaded = typeof value === 'string' && (key === 'externalValue' || (key === '$ref' && leadsNowhere(value)));
    return isLoaded ? undefined : markValues(schemas, this, key, value);
  }
  const operations = new Set<object>(declared.map(({ declaration }) => declaration));
  const copy = JSON.parse(JSON.stringify(document, replace), revive) as ContractDocument;
  // openapi-typescript does not know 3.2.
  copy.openapi = copy.openapi.replace(/^3\.2\.\d+/, '3.1.1');
  completeSchemas(copy);
  removeContradictions(copy);
  return copy as unknown as OpenAPI3;

  /** Path items that several paths share can repeat operationIds. Values that are objects are no types. */
  function replace(this: object, key: string, value: unknown): unknown {
    if (typeof value === 'bigint') return integerMark + String(value);
    if (key === 'enum' && Array.isArray(value) && value.some((each) => typeof each === 'object' && each !== null))
      return undefined;
    if (key !== 'operationId' || typeof value !== 'string') return value;
    return operations.has(this) ? value.replaceAll('#', hashMark) || emptyMark : undefined;
  }

  function leadsNowhere(reference: string): boolean {
    return !componentPointer.test(reference) || schemas.at(reference) === undefined;
  }

  /** Makes the names of schemas in a mapping references, and removes what is no schema. */
  function referOnly(mapping: OpenAPIV3.DiscriminatorObject['mapping'] = {}): void {
    for (const [value, named] of Object.entries(mapping)) {
      const isName = Object.hasOwn(schemas.named, named);
      if (isName) mapping[value] = `#/components/schemas/${named}`;
      else if (leadsNowhere(named)) Reflect.deleteProperty(mapping, value);
    }
  }
}

/** Begins the text in place of a `bigint`, which openapi-typescript does not support. */
const integerMark = randomUUID();
/** Stands for `#` in an operationId, where openapi-typescript writes `/`. */
const hashMark = randomUUID();
/** Stands for an empty operationId, which openapi-typescript takes for none. */
const emptyMark = randomUUID();
const markedLiteral = new RegExp(`"${integerMark}(-?[0-9]+)"`, 'g');

/** Writes marked integers as literal types, and elsewhere, such as in comments, as numbers. */
function withMarkedTexts(text: string): string {
  return withIds(text.replace(markedLiteral, '$1n').replaceAll(integerMark, ''));
}

function withIds(text: string): string {
  return text.replaceAll(hashMark, '#').replaceAll(emptyMark, '');
}

function withHelpers(text: string): string {
  return /\b(?:Without|WithRest)</.test(text) ? text + helpers : text;
}

/** Adds the documentation of each operation to the interface `operations`, which has none. */
function describeOperations(node: ts.Node, { byId }: Contract): void {
  if (!ts.isInterfaceDeclaration(node) || node.name.text !== 'operations') return;
  for (const member of node.members.filter(ts.isPropertySignature)) {
    const { declaration = {} } = byId.get(withIds((member.name as ts.Identifier | ts.StringLiteral).text)) ?? {};
    addJSDocComment(declaration, member);
  }
}

/**
 * An integer whose bounds do not keep it within ±(2^53 − 1), where a JavaScript number is no longer exact: an int64, or
 * one with a bound beyond. Listed values have literal types.
 */
function isWideInteger(schema: Readonly<Record<string, unknown>>): boolean {
  const { type, format, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  if (schema['enum'] !== undefined || schema['const'] !== undefined) return false;
  // Texts can have the format, too. openapi-typescript transforms each of several types on its own.
  if (type !== 'integer' && type !== 'number') return false;
  const bounds = [minimum, maximum, exclusiveMinimum, exclusiveMaximum];
  if (format === undefined) return type === 'integer' && bounds.some((bound) => typeof bound === 'string');
  return format === 'int64' && !(Number.isSafeInteger(minimum) && Number.isSafeInteger(maximum));
}

function wideInteger(schema: object): ts.TypeNode {
  const keywords = [ts.SyntaxKind.NumberKeyword, ts.SyntaxKind.BigIntKeyword] as const;
  const types = keywords.map((keyword) => ts.factory.createKeywordTypeNode(keyword));
  return orNull(ts.factory.createUnionTypeNode(types), schema);
}

function orNull(type: ts.TypeNode, schema: object): ts.TypeNode {
  const { nullable, type: types = [] } = schema as Readonly<Record<string, unknown>>;
  const isNullable = nullable === true || [types].flat().includes('null');
  return isNullable
    ? ts.factory.createUnionTypeNode([type, ts.factory.createLiteralTypeNode(ts.factory.createNull())])
    : type;
}
