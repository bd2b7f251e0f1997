import type { NodeType } from '@redocly/openapi-core/lib/types/index.js';
import type { OpenAPIV3 } from 'openapi-types';
import type { Problem } from '../contract/contract-error.js';
import { resolve } from '../contract/json-pointer.js';
import { isEventStream, isJsonLines } from '../contract/media-types.js';
import { operationsOf } from '../contract/operations.js';

type Types = Record<string, NodeType>;
type Properties = NodeType['properties'];

const text = { type: 'string' } as const;
const any = { isExample: true } as const;

/** What OpenAPI 3.2 adds to the types of 3.1. */
const added: Readonly<Record<string, Properties>> = {
  Root: { $self: text },
  PathItem: { query: 'Operation', additionalOperations: 'AdditionalOperations' },
  Parameter: { in: { enum: ['query', 'header', 'path', 'cookie', 'querystring'] } },
  MediaType: { itemSchema: 'Schema', itemEncoding: 'Encoding', prefixEncoding: any },
  Encoding: { encoding: 'EncodingMap', itemEncoding: 'Encoding', prefixEncoding: any },
  Tag: { summary: text, parent: text, kind: text },
  Server: { name: text },
  Response: { summary: text },
  Example: { dataValue: any, serializedValue: text },
  Discriminator: { defaultMapping: text },
  SecurityScheme: { deprecated: { type: 'boolean' }, oauth2MetadataUrl: text },
  OAuth2Flows: { deviceAuthorization: 'DeviceAuthorization' },
  Components: { mediaTypes: 'MediaTypesMap' },
  Xml: { nodeType: text },
};

/** The types of OpenAPI 3.2: those of 3.1, with what it adds. A response needs no description. */
export function typesOf32(types: Types): Types {
  const extended = Object.entries(types).map(([name, type]): [string, NodeType] => {
    const { allowed } = type as { readonly allowed?: (value: unknown) => readonly string[] | undefined };
    const properties = { ...type.properties, ...added[name] };
    const others = Object.keys(added[name] ?? {});
    const own = allowed && {
      allowed: (value: unknown) => {
        const names = allowed(value);
        return names && [...names, ...others];
      },
    };
    return [name, { ...type, ...own, properties, ...(name === 'Response' && { required: [] }) }];
  });
  return {
    ...Object.fromEntries<NodeType>(extended),
    AdditionalOperations: { properties: {}, additionalProperties: () => 'Operation' },
    DeviceAuthorization: { properties: {}, additionalProperties: any },
  };
}

/** The path items and operations of a document, each with its path. */
export function ownersOf(document: OpenAPIV3.Document) {
  return [
    ...Object.entries(document.paths).map(([path, item = {}]) => [['paths', path], item] as const),
    ...operationsOf(document).map(({ path, method, operation }) => [['paths', path, method], operation] as const),
  ];
}

type Content = Readonly<Record<string, { readonly schema?: object; readonly itemSchema?: object }>>;

/** The content of the request body and the responses of an operation, each with its place. */
function contentsOf(document: OpenAPIV3.Document, operation: OpenAPIV3.OperationObject) {
  const { requestBody, responses = {} } = operation as Partial<OpenAPIV3.OperationObject>;
  const parts = [
    ...(requestBody === undefined ? [] : [[['requestBody'], requestBody] as const]),
    ...Object.entries(responses).map(([status, response]) => [['responses', status], response] as const),
  ];
  return parts.map(([place, node]) => {
    const { content = {} } = resolve<{ readonly content?: Content }>(document, node);
    return [place, content] as const;
  });
}

/** What is wrong with the `itemSchema` of each media type that `describedMedia` does not read. */
function unappliedItems(content: Content): string[] {
  return Object.entries(content).flatMap(([name, { schema, itemSchema }]) => {
    if (itemSchema === undefined) return [];
    if (!isJsonLines(name) && !isEventStream(name)) return `The \`itemSchema\` of ${name} is not applied.`;
    return schema === undefined ? [] : `The \`itemSchema\` of ${name} is not applied, because it has a \`schema\`.`;
  });
}

type Item32 = OpenAPIV3.PathItemObject & Partial<Record<'query' | 'additionalOperations', object>>;
type Parameters = OpenAPIV3.PathItemObject['parameters'];

/** Removes what OpenAPI 3.2 adds and the server does not support, in place. @returns a warning for each part. */
export function removeUnserved(document: OpenAPIV3.Document): Problem[] {
  if (!document.openapi.startsWith('3.2')) return [];
  const warning = (path: Problem['path'], message: string): Problem => ({ path, message, isWarning: true });
  return [
    ...Object.entries(document.paths as Record<string, Item32>).flatMap(([path, item]) =>
      (['query', 'additionalOperations'] as const).flatMap((name) => {
        const { [name]: operations } = item;
        if (operations === undefined) return [];
        Reflect.deleteProperty(item, name);
        const methods = name === 'query' ? 'QUERY' : Object.keys(operations).join(', ');
        return [warning(['paths', path, name], `The method ${methods} is not served.`)];
      }),
    ),
    ...ownersOf(document).flatMap(([path, owner]) => {
      const { parameters = [] }: { parameters?: Parameters } = owner;
      const isUnserved = (node: (typeof parameters)[number]) =>
        resolve<OpenAPIV3.ParameterObject>(document, node).in === 'querystring';
      if (!parameters.some(isUnserved)) return [];
      owner.parameters = parameters.filter((node) => !isUnserved(node));
      const message = 'A parameter `in: querystring` is not read; requests with it are rejected.';
      return parameters.flatMap((node, index) =>
        isUnserved(node) ? [warning([...path, 'parameters', index], message)] : [],
      );
    }),
    ...operationsOf(document).flatMap(({ path, method, operation }) =>
      contentsOf(document, operation).flatMap(([place, content]) =>
        unappliedItems(content).map((message) => warning(['paths', path, method, ...place], message)),
      ),
    ),
  ];
}
