import { resolve } from './json-pointer.js';
import { isEventStream, isJson, isJsonLines } from './media-types.js';
import type { Schema } from './schemas.js';

/** A part of an event: its properties, and the alternatives of the event. */
interface EventSchema {
  readonly properties?: { readonly data?: Schema };
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/**
 * A media type of a content, of which `schema` describes what the library reads and writes, also if it declares
 * `itemSchema` (OpenAPI 3.2.0, section 4.14.3): the array of JSON lines, and the data of server-sent events.
 *
 * @param document where references lead.
 */
export function describedMedia<Media extends object>(document: object, name: string, media: Media): Media {
  const { schema, itemSchema } = media as { readonly schema?: Schema; readonly itemSchema?: Schema };
  if (itemSchema === undefined || schema !== undefined) return media;
  if (isJsonLines(name)) return { ...media, schema: { type: 'array', items: itemSchema } };
  return isEventStream(name) ? { ...media, schema: dataSchemaOf(document, itemSchema) } : media;
}

/** Describes the data of an event, of which there can be several alternatives. */
function dataSchemaOf(document: object, event: Schema): Schema {
  const found: Schema[] = [];
  const parts = new Set([resolve<Schema>(document, event)]);
  for (const part of parts) {
    const { properties, allOf = [], anyOf = [], oneOf = [] } = part as EventSchema;
    if (properties?.data !== undefined) found.push(valueSchemaOf(document, properties.data));
    for (const other of [...allOf, ...anyOf, ...oneOf]) parts.add(resolve<Schema>(document, other));
  }
  const [only = {}, ...others] = found;
  return others.length === 0 ? only : { anyOf: found };
}

/** Data is a text, in which `contentSchema` describes JSON (JSON Schema 2020-12 Validation, section 8). */
function valueSchemaOf(document: object, data: Schema): Schema {
  const { contentMediaType = '', contentSchema } = resolve<Schema>(document, data) as {
    readonly contentMediaType?: string;
    readonly contentSchema?: Schema;
  };
  return contentSchema !== undefined && isJson(contentMediaType) ? contentSchema : data;
}
