import { Links } from '@contract-server/core/contract/links.js';
import { parseJson } from '@contract-server/core/json/exact-json.js';
import { ApiError } from '@contract-server/core/lib/errors.js';
import { readContract } from '@contract-server/core/load/load-contract.js';
import { requestState } from '@contract-server/test-support/contract/request-state.js';
import { type Context, type Handler, OpenAPIBackend, type Request } from 'openapi-backend';
import { createApi } from '#src/backend/create-api.js';

/** A request as both backends receive it. It is labelled as JSON if it has a body. It is authorized. */
export interface TriedRequest {
  readonly method: string;
  readonly target: string;
  readonly body?: string | Buffer;
  readonly idempotencyKey?: string;
}

type Values = Readonly<Record<string, unknown>>;

/** The result of a request, with the values that the handler received. */
export type BackendResult =
  | { kind: 'handled'; id: string; path: Values; query: Values; header: Values; body: unknown }
  | { kind: 'unknown path' | 'unknown method' | 'invalid' | 'thrown' };

type Handled = Readonly<Record<'path' | 'query' | 'header' | 'body', unknown>>;

const contract = await readContract({
  contract: new URL('../../../../test/backend/differential/contract.yaml', import.meta.url),
});
const { document } = contract;
const ids = [...contract.byId.keys()];
const lifecycleHandlers = {
  notFound: () => ({ kind: 'unknown path' }),
  methodNotAllowed: () => ({ kind: 'unknown method' }),
  validationFail: () => ({ kind: 'invalid' }),
};

/** openapi-backend with the compiled router and validator, as the server uses it. */
const ours = await createApi({
  contract,
  handlers: Object.fromEntries(
    ids.map((id) => [
      id,
      ({ path, query, header, body }: Handled) =>
        Promise.resolve({ status: 200, result: { kind: 'handled', id, path, query, header, body } }),
    ]),
  ),
  lifecycleHandlers,
  links: new Links(contract, Date.now),
});

/** openapi-backend as its README sets it up. */
const stock = await new OpenAPIBackend({
  definition: structuredClone(document),
  apiRoot: contract.prefix,
  strict: true,
  coerceTypes: true,
  ajvOpts: { useDefaults: true, logger: false },
  handlers: { ...Object.fromEntries(ids.map((id) => [id, handledByStock(id)])), ...lifecycleHandlers },
  securityHandlers: { apiKey: () => true },
}).init();

/** Like `express.json()`: replaces invalid UTF-8, and rounds integers. */
const parseLoosely = (bytes: Buffer) => JSON.parse(bytes.toString('utf8')) as unknown;

/** Sends a request to the backend of the library, and to openapi-backend with a JSON parser like that of Express. */
export async function tryBoth(request: TriedRequest): Promise<{ ours: BackendResult; stock: BackendResult }> {
  return {
    ours: await handleWith(request, parseJson, async (sent) => {
      const path = sent.path.split('?', 1)[0] ?? '';
      const state = requestState({ match: ours.router.match(sent.method, path) });
      const reply: unknown = await ours.handleRequest(
        { ...sent, path, query: sent.path.slice(path.length + 1) },
        state,
      );
      return (reply as { readonly result?: object }).result ?? reply;
    }),
    stock: await handleWith(request, parseLoosely, (sent) => stock.handleRequest(sent)),
  };
}

async function handleWith(
  { method, target, body, idempotencyKey }: TriedRequest,
  parse: (bytes: Buffer) => unknown,
  handle: (sent: Request) => Promise<unknown>,
): Promise<BackendResult> {
  try {
    const headers = {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    };
    const parsed = body === undefined ? undefined : parse(Buffer.from(body));
    return plain(await handle({ method, path: target, headers, body: parsed })) as BackendResult;
  } catch (error) {
    return { kind: error instanceof ApiError || error instanceof SyntaxError ? 'invalid' : 'thrown' };
  }
}

function handledByStock(id: string): Handler {
  return ({ request }: Context): unknown => {
    const { params: path, query, headers: header, requestBody: body } = request as unknown as Values;
    return { kind: 'handled', id, path, query, header, body };
  };
}

/** A copy whose objects have the usual prototype, so that values alone are compared. */
function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(plain);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}
