import { Readable } from 'node:stream';
import type { ContractDocument } from '@contract-server/core/contract/document.js';
import { place } from '@contract-server/test-support/contract/contract-errors.js';
import { startMockOf } from '@contract-server/test-support/servers/mocked.js';
import { serveContract } from '@contract-server/test-support/servers/served-contract.js';
import { expect } from 'chai';
import { parse } from 'yaml';
import { generateTypes } from '#src/generate/generate-types.js';

const contract = `
openapi: 3.2.0
info: { title: Books, version: 1.0.0 }
paths:
  /lines:
    get:
      operationId: listBooks
      responses:
        "200": { description: Books, content: { application/jsonl: { itemSchema: { $ref: "#/components/schemas/Book" } } } }
    post:
      operationId: addBooks
      requestBody: { content: { application/jsonl: { itemSchema: { $ref: "#/components/schemas/Book" } } } }
      responses: { "200": { description: Number, content: { application/json: {} } } }
  /events:
    get:
      operationId: watchBooks
      responses:
        "200": { description: Events, content: { text/event-stream: { itemSchema: { $ref: "#/components/schemas/Event" } } } }
components:
  schemas:
    Book: { type: object, required: [id], properties: { id: { type: integer } } }
    Event:
      type: object
      properties: { event: { type: string }, id: { type: string } }
      oneOf:
        - properties: { event: { const: added }, data: { contentMediaType: application/json, contentSchema: { $ref: "#/components/schemas/Book" } } }
        - properties: { event: { const: closed }, data: { type: string, const: done } }
`;

describe('itemSchema of OpenAPI 3.2', () => {
  const start = async (items: readonly unknown[]) => {
    const body = () => Promise.resolve({ status: 200, body: Readable.from(items) });
    const addBooks = ({ body }: { readonly body: readonly unknown[] }) =>
      Promise.resolve({ status: 200, body: { length: body.length } });
    const handlers = { listBooks: body, watchBooks: body, addBooks };
    const { server, log } = await serveContract(contract, { handlers, validateResponses: true });
    const { port } = server.address() as { readonly port: number };
    return { log, send: (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${String(port)}${path}`, init) };
  };

  it('describes the lines of a response and of a request', async () => {
    const { send } = await start([{ id: 1, spare: true }]);
    expect(await (await send('/lines')).text()).to.equal('{"id":1}\n');
    const init = { method: 'POST', headers: { 'Content-Type': 'application/jsonl' } };
    expect(await (await send('/lines', { ...init, body: '{"id":1}\n{"id":2}' })).text()).to.equal('{"length":2}');
    expect(await (await send('/lines', { ...init, body: '{}' })).json()).to.include({ status: 400 });
  });

  it('describes the data of events: text, and JSON by contentSchema', async () => {
    const { send } = await start([
      { event: 'added', data: { id: 1, spare: true } },
      { event: 'closed', data: 'done' },
    ]);
    const text = await (await send('/events')).text();
    expect(text).to.equal('event: added\ndata: {"id":1}\n\nevent: closed\ndata: done\n\n');
    for (const data of [{ id: 'one' }, 'text']) {
      const invalid = await start([{ event: 'added', data }]);
      expect((await invalid.send('/events')).status).to.equal(500);
    }
  });

  it('is sampled by the mock', async () => {
    const mock = await startMockOf({ 'x-error-codes': {}, ...parse(contract) } as ContractDocument);
    expect(await mock.send('/lines')).to.include({ status: 200, text: '{"id":0}\n' });
    expect(await mock.send('/events')).to.include({ status: 200, text: 'data: {"id":0}\n\n' });
  });

  it('has the types of the items', async () => {
    const { types } = await generateTypes(place({ 'contract.yaml': contract }).url);
    expect(types).to.match(/"application\/jsonl": readonly components\["schemas"\]\["Book"\]\[\];/);
    expect(types).to.match(/"text\/event-stream": components\["schemas"\]\["Book"\] \| "done";/);
  });
});
