import { type Context, type Handler, OpenAPIBackend, type Request } from 'openapi-backend';
import { MalformedJson, parseJson } from '#src/json/exact-json.js';
import { createApi, type RequestState } from '#src/openapi/create-api.js';
import { basePathOf, operationIdsOf } from '#src/openapi/document.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import type { RequestMetadata } from '#src/openapi/types.js';

/** A request as both backends receive it. It is labelled as JSON if it has a body. */
export interface TriedRequest {
  readonly method: string;
  readonly target: string;
  readonly body?: string | Buffer;
  /** The `Idempotency-Key` header. */
  readonly idempotencyKey?: string;
  /** Sent without a key. */
  readonly anonymous?: boolean;
}

/** The result of a request, with the values that the handler received. */
export type BackendResult =
  | ({ readonly kind: 'handled'; readonly id: string } & HandledValues)
  | { readonly kind: 'unknown path' | 'unknown method' | 'unauthorized' | 'invalid' | 'thrown' };

interface HandledValues {
  readonly path: object;
  readonly query: object;
  readonly header: object;
  readonly body: unknown;
}

export interface BackendResults {
  /** openapi-backend with the compiled router and validator, as the server uses it. */
  readonly ours: BackendResult;
  /** openapi-backend set up as its README shows, with a JSON parser like that of Express. */
  readonly stock: BackendResult;
}

const { document } = await readContract(contractUrl);
const ids = operationIdsOf(document);
const unknownPath = (): BackendResult => ({ kind: 'unknown path' });
const unknownMethod = (): BackendResult => ({ kind: 'unknown method' });
const unauthorized = (): BackendResult => ({ kind: 'unauthorized' });
const invalid = (): BackendResult => ({ kind: 'invalid' });

const metadata: RequestMetadata = { quotaId: 'quota_a', bodyBytes: Buffer.from('the body as it was sent') };

const ours = await createApi({
  document,
  isChecked: false,
  handlers: Object.fromEntries(
    ids.map((id) => [
      id,
      (call: object, from: RequestMetadata) => Promise.resolve({ kind: 'handled', id, ...call, from }),
    ]),
  ),
  lifecycleHandlers: {
    notFound: unknownPath,
    methodNotAllowed: unknownMethod,
    // `authorize` rejects these requests before openapi-backend receives them.
    ...{ unauthorizedHandler: unauthorized },
    validationFail: invalid,
  },
});

const stock = await createStock(
  {
    ...Object.fromEntries(
      ids.map((id) => [
        id,
        ({ request }: Context, from: RequestMetadata) => ({ ...handledByStock(id, request), from }),
      ]),
    ),
    notFound: unknownPath,
    methodNotAllowed: unknownMethod,
    unauthorizedHandler: unauthorized,
    validationFail: invalid,
  },
  (_context, from: unknown) => from,
);

/** openapi-backend as its README sets it up, with the contract of the service. */
export function createStock(handlers: Record<string, Handler>, apiKey: Handler): Promise<OpenAPIBackend> {
  return new OpenAPIBackend({
    definition: structuredClone(document),
    apiRoot: basePathOf(document),
    strict: true,
    coerceTypes: true,
    ajvOpts: { useDefaults: true, logger: false },
    handlers,
    securityHandlers: { apiKey },
  }).init();
}

/** Sends a request to both backends. */
export async function tryBoth(request: TriedRequest): Promise<BackendResults> {
  return {
    ours: await handleWith(request, parseJson, (sent) => {
      const path = sent.path.split('?', 1)[0] ?? '';
      const state: RequestState = {
        match: ours.router.match(sent.method, path),
        isAuthorized: request.anonymous !== true,
        quota: { id: metadata.quotaId },
        body: { bytes: metadata.bodyBytes },
      };
      return ours.handleRequest({ ...sent, path, query: sent.path.slice(path.length + 1) }, state);
    }),
    stock: await handleWith(request, parseLikeExpress, (sent, from) => stock.handleRequest(sent, from)),
  };
}

async function handleWith(
  request: TriedRequest,
  parse: (bytes: Buffer) => unknown,
  handle: (sent: Request, from: RequestMetadata | undefined) => Promise<unknown>,
): Promise<BackendResult> {
  const { method, target, idempotencyKey, anonymous } = request;
  try {
    const parsed = readBody(request, parse);
    const headers = {
      ...(parsed !== undefined && { 'content-type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    };
    return plain(
      await handle({ method, path: target, headers, body: parsed }, anonymous ? undefined : metadata),
    ) as BackendResult;
  } catch (error) {
    return { kind: error instanceof MalformedJson || error instanceof SyntaxError ? 'invalid' : 'thrown' };
  }
}

function handledByStock(id: string, { params, query, headers, requestBody }: Context['request']): BackendResult {
  return {
    kind: 'handled',
    id,
    path: params as object,
    query: query as object,
    header: headers as object,
    body: requestBody as unknown,
  };
}

function readBody({ body }: TriedRequest, parse: (bytes: Buffer) => unknown): unknown {
  return body === undefined ? undefined : parse(Buffer.from(body));
}

/** Like `express.json()`: accepts objects and arrays, and replaces invalid UTF-8. */
function parseLikeExpress(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  if (!/^[\t\n\r ]*[{[]/.test(text)) throw new SyntaxError('The body is neither an object nor an array.');
  return JSON.parse(text) as unknown;
}

/** A copy whose objects have the usual prototype, so that values alone are compared. */
function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(plain);
  const copy = {};
  for (const [name, member] of Object.entries(value)) {
    Object.defineProperty(copy, name, { value: plain(member), enumerable: true, configurable: true, writable: true });
  }
  return copy;
}
