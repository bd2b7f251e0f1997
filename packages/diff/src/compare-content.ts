import { parameterOf } from '@contract-server/core/contract/parameters.js';
import type { OpenAPIV3 } from 'openapi-types';
import { namesIn, type Values, valuesOf } from './compared-document.js';
import { type Recorder, type Site, siteAt } from './recorder.js';
import { fieldOf } from './schema-members.js';
import type { SchemaReader } from './schema-parts.js';
import { namesOf, typesOf } from './schema-types.js';

/** Compares the media types of a body, of a parameter or of a header. The character set of JSON is always UTF-8. */
export function compareContent(recorder: Recorder, site: Site, before: unknown, after: unknown): void {
  const [olds, news] = [byMediaType(before), byMediaType(after)];
  for (const mediaType of namesIn(olds, news)) {
    const [old, current] = [olds[mediaType], news[mediaType] ?? rangeOf(news, mediaType, site)];
    const path = ['content', (old ?? current)?.name ?? mediaType];
    const [one, other] = [old?.value, current?.value];
    const change = { kind: 'content', keyword: 'content/*', path, before: one, after: other } as const;
    if (recorder.addUnpaired(site, [valuesOf(before), valuesOf(after)], change)) continue;
    compareMediaType(recorder, siteAt(site, path), ...recorder.resolved(one, other));
  }
}

interface MediaType {
  readonly name: string;
  readonly value: unknown;
}

function byMediaType(content: unknown): Readonly<Record<string, MediaType>> {
  return Object.fromEntries(
    Object.entries(valuesOf(content)).map(([name, value]) => [
      name
        .toLowerCase()
        .replace(/\s*;\s*charset\s*=[^;]*/, '')
        .replace(/\s/g, ''),
      { name, value },
    ]),
  );
}

/** A range of media types in a request, `text/*`, accepts each of them. */
function rangeOf(content: Readonly<Record<string, MediaType>>, mediaType: string, site: Site): MediaType | undefined {
  return site.direction === 'request' ? (content[mediaType.replace(/\/.*/, '/*')] ?? content['*/*']) : undefined;
}

function compareMediaType(recorder: Recorder, site: Site, before: Values, after: Values): void {
  recorder.addFields(site, 'content', [before, after], ['schema', 'encoding']);
  recorder.addSchemas(siteAt(site, ['schema']), before['schema'], after['schema']);
  const [olds, news] = [valuesOf(before['encoding']), valuesOf(after['encoding'])];
  const { schemas } = recorder;
  for (const name of namesIn(olds, news)) {
    const encodings = [
      completed(schemas.before, before['schema'], name, olds[name]),
      completed(schemas.after, after['schema'], name, news[name]),
    ] as const;
    compareEncoding(recorder, siteAt(site, ['encoding', name]), ...encodings);
  }
}

function compareEncoding(recorder: Recorder, site: Site, before: Values, after: Values): void {
  recorder.addFields(site, 'content', [before, after]);
}

/** The encoding of a field, with the defaults of OpenAPI 3.0.4, section 4.7.15. */
function completed(reader: SchemaReader, schema: unknown, name: string, encoding: unknown): Values {
  const field = fieldOf(reader, reader.partsOf(schema), name);
  const [type, ...others] = namesOf(typesOf(reader, field?.parts ?? [])).filter((each) => each !== 'null');
  const isText = type !== 'object' && type !== 'array';
  const contentType = others.length > 0 ? undefined : isText ? 'text/plain' : 'application/json';
  const own = valuesOf(encoding);
  // Its styles are those of a parameter in the query.
  const { style, isExploded: explode } = parameterOf({ ...own, in: 'query' } as OpenAPIV3.ParameterObject);
  return { ...(contentType && { contentType }), allowReserved: false, ...own, style, explode };
}
