import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRequest, type Request } from '@contract-server/testing/create-request.js';
import { loadTestedContract } from '@contract-server/testing/tested-contract.js';
import { expect } from 'chai';
import express, { type RequestHandler } from 'express';

/** A request to an operation: what it sends, and the status and the body that it returns. */
export interface Exchange {
  readonly operation: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly send?: string | object;
  readonly status: number;
  readonly type?: string;
  readonly body?: unknown;
}

/**
 * Tests that a router serves a whole contract: the exchanges return what they say, as the contract declares it, and
 * cover every status that an operation declares.
 *
 * @param headers are sent with every request that sends none.
 */
export function itServesWhole(
  url: URL,
  createRouter: () => Promise<RequestHandler>,
  headers: Readonly<Record<string, string>>,
  exchanges: readonly Exchange[],
): void {
  let request: Request;
  before(async () => {
    const app = express().use(await createRouter());
    request = await createRequest({ contract: url, server: app });
  });

  for (const { operation, target, headers: own = headers, send, status, type, body } of exchanges)
    it(`${operation} returns ${String(status)}: ${target} ${JSON.stringify(send ?? '')}`, async () => {
      const { operations } = await loadTestedContract({ contract: url });
      const { method, prefix } = operations.find(({ id }) => id === operation) ?? expect.fail(operation);
      const test = request[method](prefix + target).set(own);
      const response = await (send === undefined ? test : test.send(send)).buffer(true);
      expect(response.status, response.text).to.equal(status);
      if (type !== undefined) expect(response.type).to.equal(type);
      if (body !== undefined)
        expect(type?.endsWith('json') === false ? bodyOf(response) : response.body).to.deep.equal(body);
    });

  it('has an exchange for each status of each operation', async () => {
    const { operations } = await loadTestedContract({ contract: url });
    const declared = operations.flatMap(({ id, responses }) =>
      [...responses.declared.keys()].filter((name) => name !== 'default').map((name) => `${id} ${name}`),
    );
    const seen = new Set(exchanges.map(({ operation, status }) => `${operation} ${String(status)}`));
    expect(declared.filter((name) => !seen.has(name))).to.deep.equal([]);
  });
}

/** Text, or the bytes of a file. */
function bodyOf({ text, body }: { readonly text: string | undefined; readonly body: unknown }): unknown {
  return text ?? body;
}

/** Serves a router on a free port for the tests of a suite. @returns the origin, once it listens. */
export function useOrigin(createRouter: () => Promise<RequestHandler>): () => string {
  const server = createServer();
  before(async () => {
    server.on('request', express().use(await createRouter()));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  after(() => server.close().closeAllConnections());
  return () => `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}
