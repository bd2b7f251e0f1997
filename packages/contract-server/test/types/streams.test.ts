import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compile, folder } from '@contract-server/test-support/compile-types.js';
import { directoryWith } from '@contract-server/test-support/servers/tool-process.js';
import { expect } from 'chai';
import { generateTypes } from '#src/generate/generate-types.js';

const book = { $ref: '#/components/schemas/Book' };
const operationOf = (operationId: string, types: Readonly<Record<string, object>>) => {
  const content = Object.fromEntries(Object.entries(types).map(([type, schema]) => [type, { schema }]));
  return { get: { operationId, responses: { 200: { description: '', content } } } };
};
const paths = {
  '/events': operationOf('watchBooks', { 'text/event-stream': book }),
  '/notices': operationOf('watchNotices', { 'text/event-stream': { type: 'string' } }),
  '/books': operationOf('exportBooks', { 'application/x-ndjson': { type: 'array', items: book } }),
  '/text': operationOf('getText', { 'text/csv': { type: 'string' } }),
  '/any': operationOf('getAny', { 'application/json': book, 'text/event-stream': book }),
};
const Book = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'integer' }, kind: { enum: ['new', 'used'] }, shelf: { type: 'string', writeOnly: true } },
};

const imports = `
  import { createReadStream } from 'node:fs';
  import { Readable } from 'node:stream';
  import { type Handler, type ServerSentEvent, stringifyJson } from '#src/index.js';
  import type { Contract } from './streams-contract.js';
  async function* itemsOf<const Item>(item: Item): AsyncGenerator<Item> { yield item; }
  declare const web: import('node:stream/web').ReadableStream<Uint8Array>;
`;

const cases: readonly (readonly [title: string, code: string])[] = [
  [
    'are the fields of an event and its data, which can be JSON text, and bytes',
    `async function* books(): AsyncGenerator<ServerSentEvent<{ id: number; kind?: 'new' | 'used' }>> {
      yield { data: { id: 1, kind: 'new' }, event: 'added', id: '1', retry: 500, comment: '' };
      yield { data: { id: 1 }, event: null, id: null, retry: null, comment: null };
      yield { comment: '', id: null };
    }
    export const a: Handler<Contract, 'watchBooks'> = async () => ({ status: 200, body: books() });
    export const b: Handler<Contract, 'watchBooks'> =
      async () => ({ status: 200, body: itemsOf({ data: stringifyJson({ id: 1 }) }) });
    export const c: Handler<Contract, 'watchBooks'> = async () => ({ status: 200, body: createReadStream('') });
    export const d: Handler<Contract, 'watchBooks'> = async () => ({ status: 200, body: web });
    export const e: Handler<Contract, 'watchBooks'> = async () => ({ status: 200, body: 'data: {}' });
    export const wrong: Handler<Contract, 'watchBooks'>[] = [
      // @ts-expect-error -- The field has another type.
      async () => ({ status: 200, body: itemsOf({ data: { id: '1' } }) }),
      // @ts-expect-error -- A field is missing.
      async () => ({ status: 200, body: itemsOf({ data: {} }) }),
      // @ts-expect-error -- An event has data, or a comment.
      async () => ({ status: 200, body: itemsOf({ event: 'added' }) }),
      // @ts-expect-error -- An event has data, or a comment.
      async () => ({ status: 200, body: itemsOf({ comment: null }) }),
      // @ts-expect-error -- A text is not JSON text.
      async () => ({ status: 200, body: itemsOf({ data: 'text' }) }),
      // @ts-expect-error -- The id is a text.
      async () => ({ status: 200, body: itemsOf({ data: { id: 1 }, id: 1 }) }),
      // @ts-expect-error -- An item is an event.
      async () => ({ status: 200, body: itemsOf({ id: 1 }) }),
    ];`,
  ],
  [
    'are a text as the data of an event',
    `export const a: Handler<Contract, 'watchNotices'> = async () => ({ status: 200, body: itemsOf({ data: 'a' }) });
    // @ts-expect-error -- The data is a text.
    export const b: Handler<Contract, 'watchNotices'> = async () => ({ status: 200, body: itemsOf({ data: 1 }) });`,
  ],
  [
    'are the items of JSON lines',
    `export const a: Handler<Contract, 'exportBooks'> = async () => ({ status: 200, body: itemsOf({ id: 1 }) });
    export const b: Handler<Contract, 'exportBooks'> = async () => ({ status: 200, body: [{ id: 1 }] });
    export const c: Handler<Contract, 'exportBooks'> =
      async () => ({ status: 200, body: itemsOf(stringifyJson({ id: 1 })) });
    export const d: Handler<Contract, 'exportBooks'> = async () => ({ status: 200, body: web });
    // @ts-expect-error -- The field has another type.
    export const e: Handler<Contract, 'exportBooks'> = async () => ({ status: 200, body: itemsOf({ id: '1' }) });`,
  ],
  [
    'are text and bytes in other media types, and none in JSON',
    `export const a: Handler<Contract, 'getText'> = async () => ({ status: 200, body: itemsOf('text') });
    export const b: Handler<Contract, 'getText'> = async () => ({ status: 200, body: Readable.from(['text']) });
    // @ts-expect-error -- A chunk is text or bytes.
    export const c: Handler<Contract, 'getText'> = async () => ({ status: 200, body: itemsOf({ id: 1 }) });
    export const d: Handler<Contract, 'getAny'> = async () =>
      ({ status: 200, mediaType: 'text/event-stream', body: itemsOf({ data: { id: 1 } }) });
    // @ts-expect-error -- JSON is not streamed.
    export const e: Handler<Contract, 'getAny'> = async () => ({ status: 200, body: itemsOf('{"id":1}') });`,
  ],
];

describe('the types of the items of streams', function () {
  this.timeout(60_000);

  let messages: readonly (readonly string[])[];
  before(async () => {
    const contract = { openapi: '3.1.1', info: { title: 'A', version: '1' }, paths, components: { schemas: { Book } } };
    const url = pathToFileURL(join(directoryWith({ 'contract.yaml': contract }), 'contract.yaml'));
    const files = cases.map(
      ([, code], index) => [`${folder}types/stream-${String(index)}.ts`, imports + code] as const,
    );
    const generated = [`${folder}types/streams-contract.ts`, (await generateTypes(url)).types] as const;
    messages = compile(new Map([...files, generated]));
  });

  for (const [index, [title]] of cases.entries())
    it(title, () => {
      expect(messages[index]).to.deep.equal([]);
    });
});
