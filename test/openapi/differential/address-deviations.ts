import type { OpenAPIV3 } from 'openapi-types';
import { parseInt64 } from '#src/json/int64.js';
import { type Deviation, get, isDecodable, namesOf, parameterOf, pathOf, queryOf } from './deviation.js';

const routes: readonly Deviation[] = [
  {
    name: 'HEAD',
    reason:
      'HEAD is supported wherever GET is (RFC 9110). openapi-backend supports it only if the document declares it.',
    example: { method: 'HEAD', target: '/v1/pets' },
    concerns: ({ method }) => method === 'HEAD',
    theirs: 'unknown method',
  },
  {
    name: 'methods in lower case',
    reason: 'Methods are case-sensitive (RFC 9110, section 9.1). openapi-backend ignores the case.',
    example: { method: 'get', target: '/v1/pets' },
    concerns: ({ method }) => method !== method.toUpperCase(),
    ours: 'unknown method',
  },
  {
    name: 'trailing slashes',
    reason: 'A trailing slash makes another path. openapi-backend ignores trailing slashes by default.',
    example: get('/v1/pets/'),
    concerns: (request) => pathOf(request).endsWith('/'),
    ours: 'unknown path',
  },
];

const addresses: readonly Deviation[] = [
  {
    name: 'path parameters are integers',
    reason:
      'The document declares an integer. openapi-backend validates the coerced value, then passes the text of the ' +
      'path to the handler.',
    example: get('/v1/pets/1'),
    concerns: (request) => pathOf(request).startsWith('/v1/pets/'),
    reconcile: (theirs) => ({
      ...theirs,
      path: Object.fromEntries(
        Object.entries(theirs.path).map(([name, text]) => [
          name,
          isInteger(theirs.id, name) ? parseInt64(text as string) : text,
        ]),
      ),
    }),
  },
  {
    name: 'invalid percent escapes in the path',
    reason: 'They return 400. openapi-backend throws a URIError, which would return 500.',
    example: get('/v1/pets/%zz'),
    concerns: (request) => !isDecodable(pathOf(request)),
    theirs: 'thrown',
  },
  {
    name: 'invalid percent escapes in the query',
    reason: 'They return 400. The query parser of openapi-backend does not decode them.',
    example: get('/v1/pets?cursor=%zz'),
    concerns: (request) => !isDecodable(queryOf(request)),
    ours: 'invalid',
    theirs: 'handled',
  },
  {
    name: 'question marks in the query',
    reason: 'A query may contain them (RFC 3986, section 3.4). openapi-backend truncates the query there.',
    example: get('/v1/pets?cursor=a?b'),
    concerns: (request) => queryOf(request).includes('?'),
  },
  {
    name: 'square brackets in the query',
    reason:
      'They are plain characters. The query parser of openapi-backend makes objects of them, and `[limit]` the same ' +
      'as `limit`.',
    example: get('/v1/pets?[limit]=5'),
    concerns: (request) => /[[\]]|%5[bd]/i.test(queryOf(request)),
  },
  {
    name: 'query parameters named like properties of Object.prototype',
    reason: 'They are unknown parameters. The query parser of openapi-backend drops them.',
    example: get('/v1/pets?constructor=1'),
    concerns: (request) => namesOf(request).some((name) => name in Object.prototype),
    ours: 'invalid',
    theirs: 'handled',
  },
  {
    name: 'query parameters without a name',
    reason: 'The empty name is an unknown parameter. The query parser of openapi-backend drops it.',
    example: get('/v1/pets?=1'),
    concerns: (request) => namesOf(request).includes(''),
    ours: 'invalid',
    theirs: 'handled',
  },
  {
    name: 'more than a thousand query parameters',
    reason: 'All of them are validated. The query parser of openapi-backend stops after a thousand.',
    example: get(`/v1/pets?${'&'.repeat(1000)}limit=0`),
    concerns: (request) => queryOf(request).split('&').length > 1000,
    ours: 'invalid',
    theirs: 'handled',
  },
];

function isInteger(id: string, name: string): boolean {
  const schema = parameterOf(id, 'path', name)?.schema as OpenAPIV3.SchemaObject | undefined;
  return schema?.type === 'integer';
}

/** Intended differences for methods, paths and queries. */
export const addressDeviations: readonly Deviation[] = [...routes, ...addresses];
