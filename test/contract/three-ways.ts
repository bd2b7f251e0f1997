import { type Context, OpenAPIBackend, type Request } from 'openapi-backend';
import { ContractBackend } from '#src/contract/backend.js';
import { contractUrl, readContract } from '#src/contract/contract-source.js';
import { basePathOf, operationIdsOf } from '#src/contract/document.js';
import { MalformedJson, parseJson } from '#src/contract/exact-json.js';
import type { Handlers, Origin } from '#src/contract/types.js';

/** A request as the three ways of answering it are given it. It is labelled as JSON if it has a body. */
export interface TriedRequest {
  readonly method: string;
  readonly target: string;
  readonly body?: string | Buffer;
  /** The `Idempotency-Key` header. */
  readonly idempotencyKey?: string;
  /** Sent without a key. */
  readonly anonymous?: boolean;
}

/** What becomes of a request, with the values that the handler received. */
export type Verdict =
  | ({ readonly kind: 'handled'; readonly id: string } & HandledValues)
  | { readonly kind: 'unknown path' | 'unknown method' | 'unauthorized' | 'invalid' | 'thrown' };

interface HandledValues {
  readonly path: object;
  readonly query: object;
  readonly header: object;
  readonly body: unknown;
}

export interface Verdicts {
  /** ContractBackend as the server uses it. */
  readonly ours: Verdict;
  /** ContractBackend by the way of a request that it inherits and overrides. */
  readonly inherited: Verdict;
  /** openapi-backend set up as its README shows, behind a JSON parser that does what that of express does. */
  readonly stock: Verdict;
}

const { document } = await readContract(contractUrl);
const ids = operationIdsOf(document);
const unknownPath = (): Verdict => ({ kind: 'unknown path' });
const unknownMethod = (): Verdict => ({ kind: 'unknown method' });
const unauthorized = (): Verdict => ({ kind: 'unauthorized' });
const invalid = (): Verdict => ({ kind: 'invalid' });

/** Where each request that has a key comes from. */
const origin: Origin = { budgetId: 'budget_a', bodyBytes: Buffer.from('the body as it was sent') };

const ours = await new ContractBackend(
  document,
  Object.fromEntries(
    ids.map((id) => [id, (call: object, from: Origin) => Promise.resolve({ kind: 'handled', id, ...call, from })]),
  ) as unknown as Handlers,
  { unknownPath, unknownMethod, unauthorized, malformedUrl: invalid, invalidRequest: invalid },
).init();

const stock = await new OpenAPIBackend({
  definition: structuredClone(document),
  apiRoot: basePathOf(document),
  strict: true,
  coerceTypes: true,
  ajvOpts: { useDefaults: true, logger: false },
  handlers: {
    ...Object.fromEntries(
      ids.map((id) => [id, ({ request }: Context, from: Origin) => ({ ...handledByStock(id, request), from })]),
    ),
    notFound: unknownPath,
    methodNotAllowed: unknownMethod,
    unauthorizedHandler: unauthorized,
    validationFail: invalid,
  },
  securityHandlers: { apiKey: (_context: Context, from: unknown) => from },
}).init();

/** Sends a request all three ways. */
export async function tryAll(request: TriedRequest): Promise<Verdicts> {
  const exact = () => readBody(request, parseJson);
  const doubles = () => readBody(request, parseAsExpressDoes);
  return {
    ours: await judge(request, exact, (sent, from) => ours.handleRequest(sent, from)),
    inherited: await judge(request, exact, (sent, from) => OpenAPIBackend.prototype.handleRequest.call(ours, sent, from)),
    stock: await judge(request, doubles, (sent, from) => stock.handleRequest(sent, from)),
  };
}

async function judge(
  { method, target, idempotencyKey, anonymous }: TriedRequest,
  body: () => unknown,
  handle: (sent: Request, from: Origin | undefined) => Promise<unknown>,
): Promise<Verdict> {
  try {
    const parsed = body();
    const headers = {
      ...(parsed !== undefined && { 'content-type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    };
    return plain(await handle({ method, path: target, headers, body: parsed }, anonymous ? undefined : origin)) as Verdict;
  } catch (error) {
    return { kind: error instanceof MalformedJson || error instanceof SyntaxError ? 'invalid' : 'thrown' };
  }
}

function handledByStock(id: string, { params, query, headers, requestBody }: Context['request']): Verdict {
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

/** `express.json()` is strict unless told otherwise: it takes objects and arrays, and replaces what is not UTF-8. */
function parseAsExpressDoes(bytes: Buffer): unknown {
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
