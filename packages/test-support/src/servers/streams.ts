import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ContractDocument } from '@contract-server/core/contract/document.js';
import type { RequestMetadata } from '@contract-server/core/types/types.js';
import { parse } from 'yaml';
import { place } from '../contract/contract-errors.js';
import { toysContract } from '../contract/toys-contract.js';
import { startComposed } from './composed.js';

const { paths, components } = parse(`
paths:
  /text: { get: { operationId: getText, responses: { "200": { $ref: "#/components/responses/Text" } } } }
  /json: { get: { operationId: getJson, responses: { "200": { $ref: "#/components/responses/Json" } } } }
  /books: { get: { operationId: listBooks, responses: { "200": { $ref: "#/components/responses/Lines" } } } }
  /events: { get: { operationId: watchBooks, responses: { "200": { $ref: "#/components/responses/Events" } } } }
  /notices: { get: { operationId: watchNotices, responses: { "200": { $ref: "#/components/responses/Notices" } } } }
  /reports: { post: { operationId: createReport, responses: { "201": { $ref: "#/components/responses/Text" } } } }
components:
  responses:
    Text: { description: Text, content: { text/csv: { schema: { type: string } } } }
    Json: { description: JSON, content: { application/json: {} } }
    Lines:
      description: Books
      content: { application/x-ndjson: { schema: { type: array, items: { $ref: "#/components/schemas/Book" } } } }
    Events:
      description: Books
      content: { text/event-stream: { schema: { $ref: "#/components/schemas/Book" } } }
    Notices: { description: Texts, content: { text/event-stream: { schema: { type: string } } } }
  schemas:
    Book:
      type: object
      required: [id]
      properties:
        id: { type: integer, format: int64 }
        title: { type: string }
        shelf: { type: string, writeOnly: true }
`) as Pick<ContractDocument, 'paths' | 'components'>;
const { security: _security, ...toys } = toysContract.document;
const plans = { 'x-rate-limit-plans': { unlimited: 'unlimited' }, 'x-rate-limit-address-plan': 'unlimited' } as const;
const document: ContractDocument = { ...toys, ...plans, paths, components: components ?? {} };

const unlimited = { 'x-rate-limit-plans': undefined, 'x-rate-limit-address-plan': undefined };
/** The contract as a file. */
export const { url: contractUrl } = place({ 'contract.yaml': JSON.stringify({ ...document, ...unlimited }) });

type Parts = Omit<Parameters<typeof startComposed>[0], 'document' | 'handlers' | 'security'>;

/** Starts a server, each of whose operations returns the body of `bodyOf`, with `headers`. */
export async function startStreams(
  bodyOf: (context: RequestMetadata) => unknown,
  { headers, ...parts }: Parts & { readonly headers?: Readonly<Record<string, string>> } = {},
) {
  const handlers = Object.fromEntries(
    Object.values(paths).map((item) => {
      const status = item?.post === undefined ? 200 : 201;
      const { operationId } = item?.get ?? item?.post ?? {};
      const handle = async (_request: unknown, context: RequestMetadata) => {
        return { status, headers, body: await bodyOf(context) };
      };
      return [String(operationId), handle];
    }),
  );
  const service = await startComposed({ document, handlers, security: {}, ...parts });
  const { port } = service.server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${String(port)}/v1`;
  /** Resolves with the next request of the server, and its response. */
  const nextRequest = async () => (await once(service.server, 'request')) as [IncomingMessage, ServerResponse];
  return { ...service, baseUrl, nextRequest };
}

/** An iterator without end, which waits after its first items, and resolves `returned` when it is returned. */
export function waitingIterator<Item>(...items: readonly Item[]) {
  let stop: () => void = () => undefined;
  const returned = new Promise<void>((resolve) => (stop = resolve));
  const left = [...items];
  const done = { done: true, value: undefined } as const;
  const iterator: AsyncIterator<Item, undefined> = {
    next: async () => {
      const [value] = left.splice(0, 1);
      if (value !== undefined) return { done: false, value };
      await returned;
      return done;
    },
    return: () => {
      stop();
      return Promise.resolve(done);
    },
  };
  return { returned, source: { [Symbol.asyncIterator]: () => iterator } };
}
