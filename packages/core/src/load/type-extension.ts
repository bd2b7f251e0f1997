import { type Config, createConfig } from '@redocly/openapi-core';
import type { NodeType } from '@redocly/openapi-core/lib/types/index.js';
import { mapValues } from '../schema/ajv-schema.js';
import { typesOf32 } from './later-versions.js';

/** What Redocly reads a document by: its types of OpenAPI, which accept more. @param openapi the version. */
export function typeExtensionOf(openapi: string) {
  // Redocly reads 3.2 by the types of 3.1.
  const is32 = openapi.startsWith('3.2');
  return {
    oas3: (types: Record<string, NodeType>, version: string) => openApiTypes(is32 ? typesOf32(types) : types, version),
  };
}

/** A configuration of Redocly with the types, and without rules. */
export function createTypeConfig(openapi: string): Promise<Config> {
  return createConfig({ plugins: [{ id: 'types', typeExtension: typeExtensionOf(openapi) }], rules: {} });
}

/**
 * Redocly copies the properties of a type by assignment, so this one makes `null` the prototype of the copy. Otherwise,
 * a field such as `constructor` would be found there.
 */
const withoutPrototype = ['__proto__', null] as const;

/** The types of OpenAPI: any value is valid as an extension, and in 3.1 any keyword in a schema. */
function openApiTypes(types: Record<string, NodeType>, version: string): Record<string, NodeType> {
  const withoutExtensions = (type: NodeType): NodeType => {
    const properties = Object.entries(type.properties).filter(([name]) => !name.startsWith('x-'));
    return { ...type, properties: Object.fromEntries([...properties, withoutPrototype]) };
  };
  const all = mapValues(types, (type) => withoutExtensions(type as NodeType)) as Record<string, NodeType>;
  const { Schema, Operation, Header } = all;
  if (version === 'oas3_0' || Schema === undefined || Operation === undefined || Header === undefined) return all;
  return {
    ...all,
    Schema: { ...Schema, additionalProperties: { resolvable: false } as object },
    Operation: { ...Operation, required: [] },
    // They are ignored in a header, where some documents repeat them.
    Header: { ...Header, properties: { ...Header.properties, name: null, in: null } },
  };
}
