import { expect } from 'chai';
import { body, contractWith, json, type Worst, withResponse, worstOf } from './worst-effect.js';

type Json = Readonly<Record<string, unknown>>;
type Row = readonly [title: string, before: Json, after: Json, effect: Worst];

const [breaks, ok, note, none] = ['breaking', 'non-breaking', 'annotation', 'none'] as const;
const string = { type: 'string' };
const array = { type: 'array', items: string };
const query = (more: Json = {}) => ({ name: 'q', in: 'query', schema: string, ...more });
const withQuery = (more: Json = {}) => ({ parameters: [query(more)] });
const header = (name: string, more: Json = {}) => ({ parameters: [{ name, in: 'header', schema: string, ...more }] });
const done = (more: Json = {}) => ({ description: 'Done', ...more });
const responses = (all: Json) => ({ responses: all });
const withHeader = (name: string, more: Json = {}) =>
  responses({ 200: done({ headers: { [name]: { schema: string, ...more } } }) });
const bodyWith = (more: Json) => ({ requestBody: { content: json(string), ...more } });
const content = (all: Json) => ({ requestBody: { content: all } });
const form = (encoding?: Json) =>
  content({
    'application/x-www-form-urlencoded': {
      schema: { type: 'object', properties: { a: array, b: string } },
      ...(encoding && { encoding }),
    },
  });
const secure = (...security: Json[]) => ({ security });
const servers = (...urls: string[]) => ({ servers: urls.map((url) => ({ url })) });
const error = { description: 'Error', content: json({ type: 'object', properties: { code: string } }) };
const requiring = { ...error, headers: { 'X-A': { required: true, schema: string } } };
const callback = (operation: Json) => ({
  callbacks: { event: { '{$request.body}': { post: { responses: {}, ...operation } } } },
});
const limit = (requests: number, seconds: number) => ({ 'x-rate-limit': { requests, seconds } });
const sunset = (day: string) => ({ deprecated: true, 'x-deprecated-at': '2029-01-01', 'x-sunset': day });

// biome-ignore format: a table
const parameters: readonly Row[] = [
  ['an optional parameter added', {}, withQuery(), ok],
  ['a required parameter added', {}, withQuery({ required: true }), breaks],
  ['a parameter removed', withQuery(), {}, breaks],
  ['a parameter renamed', withQuery(), withQuery({ name: 'r' }), breaks],
  ['a parameter at another place', withQuery(), header('q'), breaks],
  ['a parameter required', withQuery(), withQuery({ required: true }), breaks],
  ['a parameter optional', withQuery({ required: true }), withQuery(), ok],
  ['required false added', withQuery(), withQuery({ required: false }), none],
  ['the default style added', withQuery(), withQuery({ style: 'form', explode: true }), none],
  ['explode of a string', withQuery(), withQuery({ explode: false }), none],
  ['explode of an array', withQuery({ schema: array }), withQuery({ schema: array, explode: false }), breaks],
  ['the style of an array', withQuery({ schema: array, explode: false }), withQuery({ schema: array, explode: false, style: 'pipeDelimited' }), breaks],
  ['the style of repeated parameters', withQuery({ schema: array }), withQuery({ schema: array, explode: true, style: 'spaceDelimited' }), none],
  ['deepObject for form', withQuery({ schema: { type: 'object' } }), withQuery({ schema: { type: 'object' }, style: 'deepObject' }), breaks],
  ['explode of an array in a header', header('a', { schema: array }), header('a', { schema: array, explode: true }), none],
  ['explode of an object in a header', header('a', { schema: { type: 'object' } }), header('a', { schema: { type: 'object' }, explode: true }), breaks],
  ['allowReserved added', withQuery(), withQuery({ allowReserved: true }), ok],
  ['allowReserved removed', withQuery({ allowReserved: true }), withQuery(), breaks],
  ['allowEmptyValue removed', withQuery({ allowEmptyValue: true }), withQuery(), breaks],
  ['content for schema', withQuery(), { parameters: [{ name: 'q', in: 'query', content: json(string) }] }, breaks],
  ['another case of a header', header('X-Trace'), header('x-trace'), none],
  ['Authorization as a parameter', {}, header('Authorization', { required: true }), none],
  ['a limit added', withQuery(), withQuery({ schema: { ...string, maxLength: 5 } }), breaks],
  ['a limit removed', withQuery({ schema: { ...string, maxLength: 5 } }), withQuery(), ok],
  ['a parameter deprecated', withQuery(), withQuery({ deprecated: true }), ok],
  ['a description', withQuery(), withQuery({ description: 'Text' }), note],
  ['another order', { parameters: [query(), query({ name: 'r' })] }, { parameters: [query({ name: 'r' }), query()] }, none],
  ['replays kept longer', header('k', { 'x-idempotency-retention-seconds': 5 }), header('k', { 'x-idempotency-retention-seconds': 6 }), ok],
  ['replays kept shorter', header('k', { 'x-idempotency-retention-seconds': 6 }), header('k', { 'x-idempotency-retention-seconds': 5 }), breaks],
];

// biome-ignore format: a table
const bodies: readonly Row[] = [
  ['an optional body added', {}, body(string), ok],
  ['a required body added', {}, bodyWith({ required: true }), breaks],
  ['a body removed', body(string), {}, breaks],
  ['a body required', body(string), bodyWith({ required: true }), breaks],
  ['a body optional', bodyWith({ required: true }), body(string), ok],
  ['required false added', body(string), bodyWith({ required: false }), none],
  ['a media type added', content(json(string)), content({ ...json(string), 'text/plain': {} }), ok],
  ['a media type removed', content({ ...json(string), 'text/plain': {} }), content(json(string)), breaks],
  ['a range for a media type', content({ 'text/plain': {} }), content({ 'text/*': {} }), ok],
  ['a media type with a charset', content(json(string)), content({ 'application/json; charset=utf-8': { schema: string } }), none],
  ['a media type in upper case', content(json(string)), content({ 'Application/JSON': { schema: string } }), none],
  ['a schema added', content({ 'application/json': {} }), body(string), breaks],
  ['a schema removed', body(string), content({ 'application/json': {} }), ok],
  ['the default encoding', form(), form({ a: { style: 'form', explode: true }, b: { contentType: 'text/plain' } }), none],
  ['explode of a form', form(), form({ a: { explode: false } }), breaks],
  ['the content type of a part', form(), form({ b: { contentType: 'application/xml' } }), breaks],
  ['a smaller maximum', bodyWith({ 'x-max-body-bytes': 5 }), bodyWith({ 'x-max-body-bytes': 4 }), breaks],
  ['a larger maximum', bodyWith({ 'x-max-body-values': 5 }), bodyWith({ 'x-max-body-values': 6 }), ok],
  ['a maximum added', body(string), bodyWith({ 'x-max-body-bytes': 5 }), breaks],
  ['an example', content(json(string)), content(json(string, { example: 'a' })), note],
];

// biome-ignore format: a table
const statuses: readonly Row[] = [
  ['a status added', responses({ 200: done() }), responses({ 200: done(), 201: done() }), breaks],
  ['an error status added', responses({ 200: done() }), responses({ 200: done(), 404: done() }), breaks],
  ['an error status that default covers', responses({ default: error }), responses({ default: error, 404: error }), ok],
  ['an error status that a range covers', responses({ '4XX': error }), responses({ '4XX': error, 404: error }), ok],
  ['an error status unlike default', responses({ default: error }), responses({ default: error, 404: done({ content: json(string) }) }), breaks],
  ['an error status without a header that default requires', responses({ default: requiring }), responses({ default: requiring, 404: error }), breaks],
  ['an error status without the content of default', responses({ default: error }), responses({ default: error, 404: done() }), breaks],
  ['a status without content that default covers', responses({ default: error }), responses({ default: error, 204: done() }), ok],
  ['a status removed', responses({ 200: done(), 201: done() }), responses({ 200: done() }), breaks],
  ['an error status removed', responses({ 200: done(), 404: error }), responses({ 200: done() }), breaks],
  ['default removed', responses({ default: error }), responses({}), breaks],
  ['a range in lower case', responses({ '4XX': error }), responses({ '4xx': error }), none],
  ['a media type added', withResponse(string), responses({ 200: done({ content: { ...json(string), 'text/plain': {} } }) }), ok],
  ['a media type removed', responses({ 200: done({ content: { ...json(string), 'text/plain': {} } }) }), withResponse(string), breaks],
  ['the content removed', withResponse(string), responses({ 200: done() }), breaks],
  ['a schema added', responses({ 200: done({ content: { 'application/json': {} } }) }), withResponse(string), ok],
  ['a schema removed', withResponse(string), responses({ 200: done({ content: { 'application/json': {} } }) }), breaks],
  ['a header added', responses({ 200: done() }), withHeader('X-A'), ok],
  ['a header removed', withHeader('X-A'), responses({ 200: done() }), breaks],
  ['one of two headers removed', responses({ 200: done({ headers: { A: {}, B: {} } }) }), responses({ 200: done({ headers: { A: {} } }) }), breaks],
  ['another case of a header', withHeader('X-A'), withHeader('x-a'), none],
  ['a header required', withHeader('X-A'), withHeader('X-A', { required: true }), ok],
  ['a header optional', withHeader('X-A', { required: true }), withHeader('X-A'), breaks],
  ['a header narrowed', withHeader('X-A'), withHeader('X-A', { schema: { ...string, maxLength: 5 } }), ok],
  ['a header widened', withHeader('X-A', { schema: { ...string, maxLength: 5 } }), withHeader('X-A'), breaks],
  ['explode of an object in a header', withHeader('X-A', { schema: { type: 'object' } }), withHeader('X-A', { schema: { type: 'object' }, explode: true }), breaks],
  ['a description', responses({ 200: done() }), responses({ 200: { description: 'Text' } }), note],
  ['a link', responses({ 200: done() }), responses({ 200: done({ links: { next: { operationId: 'act' } } }) }), note],
];

// biome-ignore format: a table
const operations: readonly Row[] = [
  ['security added', {}, secure({ key: [] }), breaks],
  ['security removed', secure({ key: [] }), {}, ok],
  ['an alternative added', secure({ key: [] }), secure({ key: [] }, { token: [] }), ok],
  ['an alternative removed', secure({ key: [] }, { token: [] }), secure({ key: [] }), breaks],
  ['another order of alternatives', secure({ key: [] }, { token: [] }), secure({ token: [] }, { key: [] }), ok],
  ['an anonymous alternative', secure({ key: [] }), secure({ key: [] }, {}), ok],
  ['a second scheme', secure({ key: [] }), secure({ key: [], token: [] }), breaks],
  ['one scheme of two', secure({ key: [], token: [] }), secure({ key: [] }), ok],
  ['a scope added', secure({ token: ['read'] }), secure({ token: ['read', 'write'] }), breaks],
  ['a scope removed', secure({ token: ['read', 'write'] }), secure({ token: ['read'] }), ok],
  ['no security', secure({ key: [] }), secure(), ok],
  ['an operationId changed', {}, { operationId: 'other' }, breaks],
  ['a derived operationId replaced', { operationId: 'POST /things/{id}' }, {}, ok],
  ['deprecated', {}, { deprecated: true }, ok],
  ['a summary', {}, { summary: 'Text' }, note],
  ['tags', {}, { tags: ['a'] }, note],
  ['an extension of another tool', {}, { 'x-vendor': 1 }, note],
  ['an unknown keyword', {}, { unknown: 1 }, breaks],
  ['servers changed', servers('/a'), servers('/b'), breaks],
  ['a server added', servers('/a'), servers('/a', '/b'), ok],
  ['a server removed', servers('/a', '/b'), servers('/b'), breaks],
  ['a lower stability', {}, { 'x-stability': 'beta' }, breaks],
  ['a higher stability', { 'x-stability': 'beta' }, { 'x-stability': 'stable' }, ok],
  ['a breaking change of a beta', { 'x-stability': 'beta', ...withQuery() }, { 'x-stability': 'beta' }, ok],
  ['a rate limit added', {}, limit(5, 60), breaks],
  ['a rate limit removed', limit(5, 60), {}, ok],
  ['a higher rate limit', limit(5, 60), limit(6, 60), ok],
  ['a longer window', limit(5, 60), limit(5, 61), breaks],
  ['a removal announced', {}, sunset('2031-01-01'), ok],
  ['a removal announced for the past', {}, sunset('2029-12-31'), breaks],
  ['a removal moved forward', sunset('2031-01-01'), sunset('2030-12-31'), breaks],
  ['a removal postponed', sunset('2031-01-01'), sunset('2031-01-02'), ok],
  ['a callback added', {}, callback({}), ok],
  ['a callback removed', callback({}), {}, breaks],
  ['a field added to what a callback sends', callback(body({ type: 'object' })), callback(body({ type: 'object', properties: { a: string } })), ok],
  ['a field removed from what a callback sends', callback(body({ type: 'object', properties: { a: string } })), callback(body({ type: 'object' })), breaks],
  ['a limit of what a callback sends', callback(body(string)), callback(body({ ...string, maxLength: 5 })), ok],
  ['an optional header of what a callback gets back', callback(responses({ 200: done() })), callback(withHeader('X-A')), ok],
  ['a required header of what a callback gets back', callback(responses({ 200: done() })), callback(withHeader('X-A', { required: true })), breaks],
  ['credentials that a callback sends', callback({}), callback(secure({ key: [] })), ok],
  ['credentials that a callback no longer sends', callback(secure({ key: [] })), callback({}), breaks],
  ['another way in which a callback authenticates', callback(secure({ key: [] })), callback(secure({ key: [] }, { token: [] })), breaks],
  ['a limit of what a callback gets back', callback(withResponse(string)), callback(withResponse({ ...string, maxLength: 5 })), breaks],
];

const referring = (operation: Json, components: Json, more: Json = {}) =>
  contractWith(operation, { components, ...more });
const thing = { schemas: { Thing: { ...string, maxLength: 5 } } };
const toThing = { $ref: '#/components/schemas/Thing' };
const version30 = { openapi: '3.0.4' };
const inItem = (item: Json, operation: Json = {}) => contractWith(operation, { item });
const pathOf = (template: string, name: string, schema: object = string) => ({
  ...contractWith({}),
  paths: {
    [template]: {
      get: { operationId: 'get', parameters: [{ name, in: 'path', required: true, schema }], responses: {} },
    },
  },
});
const webhook = (operation?: Json) =>
  contractWith({}, operation && { webhooks: { event: { post: { responses: {}, ...operation } } } });
const schemes = (all: Json) => referring({}, { securitySchemes: all });
const flow = (scopes: Json, tokenUrl = '/token') =>
  schemes({ o: { type: 'oauth2', flows: { clientCredentials: { tokenUrl, scopes } } } });
const codes = (all: Json) => contractWith({}, { 'x-error-codes': all });
const missing = { status: 404, cause: 'It is missing.' };

// biome-ignore format: a table
const documents: readonly Row[] = [
  ['a schema in components', contractWith(body({ ...string, maxLength: 5 })), referring(body(toThing), thing), none],
  ['keywords beside a reference in 3.1', referring(body(toThing), thing), referring(body({ ...toThing, minLength: 2 }), thing), breaks],
  ['keywords beside a reference in 3.1 of a response', referring(withResponse(toThing), thing), referring(withResponse({ ...toThing, maxLength: 9 }), thing), none],
  ['keywords beside a reference of a parameter in 3.1', referring(withQuery({ schema: toThing }), thing), referring(withQuery({ schema: { ...toThing, minLength: 2 } }), thing), breaks],
  ['keywords beside a reference of a header in 3.1', referring(withHeader('A', { schema: toThing }), thing), referring(withHeader('A', { schema: { ...toThing, minLength: 2 } }), thing), ok],
  ['keywords beside a reference in 3.0', referring(body(toThing), thing, version30), referring(body({ ...toThing, minLength: 2 }), thing, version30), none],
  ['a shared response', contractWith(withResponse(string)), referring(responses({ 200: { $ref: '#/components/responses/R' } }), { responses: { R: { description: 'Done', content: json(string) } } }), none],
  ['nullable to a type', contractWith(withResponse({ ...string, nullable: true }), version30), contractWith(withResponse({ type: ['string', 'null'] })), note],
  ['nullable with a reference to a branch', referring(withResponse({ nullable: true, allOf: [toThing] }), thing, version30), referring(withResponse({ anyOf: [toThing, { type: 'null' }] }), thing), note],
  ['nullable added', contractWith(body(string), version30), contractWith(body({ ...string, nullable: true }), version30), ok],
  ['a boolean to a number of exclusiveMinimum', contractWith(body({ type: 'number', minimum: 1, exclusiveMinimum: true }), version30), contractWith(body({ type: 'number', exclusiveMinimum: 1 })), note],
  ['a parameter moved to the operations', inItem({ parameters: [query()] }), contractWith(withQuery()), none],
  ['a required parameter of the path', contractWith({}), inItem({ parameters: [query({ required: true })] }), breaks],
  ['servers of the path', inItem(servers('/a')), inItem(servers('/b')), breaks],
  ['servers of the path added', contractWith({}, servers('/a')), contractWith({}, { ...servers('/a'), item: servers('/b') }), breaks],
  ['another prefix of the document', contractWith({}, servers('/a')), contractWith({}, servers('/b')), breaks],
  ['the first prefix of the document', contractWith({}), contractWith({}, servers('/b')), breaks],
  ['another host of the document', contractWith({}, servers('https://a.example/a')), contractWith({}, servers('https://b.example/a')), note],
  ['servers moved to the operation', inItem(servers('/a')), contractWith(servers('/a')), none],
  ['a summary of the path', inItem({}), inItem({ summary: 'Text' }), note],
  ['an operation added', inItem({}), inItem({ get: { responses: {} } }), ok],
  ['an operation removed', inItem({ get: { responses: {} } }), inItem({}), breaks],
  ['an announced operation removed', inItem({ get: { ...sunset('2030-01-01'), responses: {} } }), inItem({}), ok],
  ['an operation removed before its day', inItem({ get: { ...sunset('2030-01-02'), responses: {} } }), inItem({}), breaks],
  ['a path removed', contractWith({}), { ...contractWith({}), paths: {} }, breaks],
  ['a path parameter renamed', pathOf('/a/{id}', 'id'), pathOf('/a/{key}', 'key'), breaks],
  ['a path parameter narrowed', pathOf('/a/{id}', 'id'), pathOf('/a/{id}', 'id', { ...string, maxLength: 5 }), breaks],
  ['the security of the document', contractWith({}), contractWith({}, secure({ key: [] })), breaks],
  ['security moved to the operation', contractWith({}, secure({ key: [] })), contractWith(secure({ key: [] })), none],
  ['a webhook added', webhook(), webhook({}), ok],
  ['a webhook removed', webhook({}), webhook(), breaks],
  ['a field that a webhook sends removed', webhook(body({ type: 'object', properties: { a: string } })), webhook(body({ type: 'object' })), breaks],
  ['a security scheme added', schemes({}), schemes({ key: { type: 'http', scheme: 'bearer' } }), ok],
  ['a security scheme removed', schemes({ key: { type: 'http', scheme: 'bearer' } }), schemes({}), breaks],
  ['a security scheme changed', schemes({ key: { type: 'http', scheme: 'bearer' } }), schemes({ key: { type: 'http', scheme: 'basic' } }), breaks],
  ['a description of a security scheme', schemes({ key: { type: 'http', scheme: 'bearer' } }), schemes({ key: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } }), note],
  ['a scope of a scheme added', flow({ read: '' }), flow({ read: '', write: '' }), ok],
  ['a scope of a scheme removed', flow({ read: '', write: '' }), flow({ read: '' }), breaks],
  ['the text of a scope', flow({ read: '' }), flow({ read: 'Read.' }), note],
  ['another token URL', flow({}), flow({}, '/other'), breaks],
  ['an error code added', codes({}), codes({ missing }), ok],
  ['an error code removed', codes({ missing }), codes({}), breaks],
  ['another status of an error code', codes({ missing }), codes({ missing: { ...missing, status: 410 } }), breaks],
  ['another cause of an error code', codes({ missing }), codes({ missing: { ...missing, cause: 'Gone.' } }), note],
  ['tags of the document', contractWith({}), contractWith({}, { tags: [{ name: 'a' }] }), note],
  ['the version of OpenAPI', contractWith({}), contractWith({}, { openapi: '3.1.0' }), note],
];

describe('The rules of operations', () => {
  const sections = { parameters, 'request bodies': bodies, responses: statuses, operations };
  for (const [section, rows] of Object.entries(sections))
    for (const [title, before, after, effect] of rows)
      it(`${section}: ${title}: ${effect}`, () => {
        expect(worstOf(contractWith(before), contractWith(after))).to.equal(effect);
      });
  for (const [title, before, after, effect] of documents)
    it(`documents: ${title}: ${effect}`, () => {
      expect(worstOf(before, after)).to.equal(effect);
    });
});
